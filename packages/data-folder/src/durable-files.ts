import { createHash } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { openNewFile, writeDraft } from '@svc/store-sqlite';

const CHUNK = 1024 * 1024;

/** Syncs a folder to the disk, so that the names in it survive a power failure. */
export function syncFolder(folder: string): void {
  // Windows cannot open a folder, so the folder is not synced there.
  if (process.platform === 'win32') return;
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/**
 * Replaces a file, with mode 0600, in one step: after a crash it has either its old or its complete new content. The
 * new content is on the disk when this returns.
 */
export function writeDurably(file: string, content: string): void {
  const draft = `${file}.part`;
  try {
    writeDraft(draft, content);
    renameSync(draft, file);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
  syncFolder(dirname(file));
}

export function removeDurably(file: string): void {
  rmSync(file, { force: true });
  syncFolder(dirname(file));
}

/**
 * Copies a file to a path that does not exist yet. The copy has mode 0600 from its first moment. `copyFileSync` is not
 * used, because it gives the copy the mode of the source: a world-readable backup would become a world-readable signing
 * key.
 */
export function copyDurably(file: string, target: string): void {
  const source = openSync(file, 'r');
  try {
    const copy = openNewFile(target);
    try {
      for (const chunk of chunksOf(source)) writeAll(copy, chunk);
      fsyncSync(copy);
    } finally {
      closeSync(copy);
    }
  } finally {
    closeSync(source);
  }
}

/**
 * Creates a hard link to a file that never changes, because a link takes no time and no space. Copies the file if a
 * link is not possible. A file whose mode is not 0600 is also copied, because a link would have the same mode and
 * others could read it.
 */
export function linkOrCopy(file: string, target: string): void {
  const stats = lstatSync(file);
  if (!stats.isFile() || (stats.mode & 0o777) !== 0o600) {
    copyDurably(file, target);
    return;
  }
  try {
    linkSync(file, target);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'EEXIST') throw error;
    copyDurably(file, target);
  }
}

/**
 * Reads a file.
 * @returns its SHA-256 in hex and the number of bytes read
 */
export function hashFile(file: string): { sha256: string; bytes: number } {
  const hash = createHash('sha256');
  const handle = openSync(file, 'r');
  try {
    let bytes = 0;
    for (const chunk of chunksOf(handle)) {
      hash.update(chunk);
      bytes += chunk.length;
    }
    return { sha256: hash.digest('hex'), bytes };
  } finally {
    closeSync(handle);
  }
}

/** Yields the rest of a file in chunks. Each chunk is valid until the next one is read, because they share a buffer. */
function* chunksOf(handle: number): Generator<Buffer> {
  const buffer = Buffer.allocUnsafe(CHUNK);
  for (;;) {
    const read = readSync(handle, buffer, 0, CHUNK, null);
    if (read === 0) return;
    yield buffer.subarray(0, read);
  }
}

/**
 * Writes a whole chunk. It repeats the write, because a single write may be partial, for example when the disk is
 * nearly full.
 */
function writeAll(handle: number, chunk: Buffer): void {
  for (let written = 0; written < chunk.length; ) written += writeSync(handle, chunk, written);
}
