import { createHash } from 'node:crypto';
import {
  closeSync,
  constants,
  copyFileSync,
  fsyncSync,
  linkSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';

const CHUNK = 1024 * 1024;

/** Names in a folder survive a power failure once this returns. */
export function syncFolder(folder: string): void {
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** Whole or not at all, for its owner only, on the disk when this returns. */
export function writeDurably(file: string, content: string): void {
  const draft = `${file}.part`;
  writeFileSync(draft, content, { mode: 0o600, flush: true });
  renameSync(draft, file);
  syncFolder(dirname(file));
}

export function removeDurably(file: string): void {
  rmSync(file, { force: true });
  syncFolder(dirname(file));
}

/** A copy for its owner only. The target must not exist. */
export function copyDurably(file: string, target: string): void {
  copyFileSync(file, target, constants.COPYFILE_EXCL);
  // Of a file that was made read-only, too.
  const handle = openSync(target, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** For files that never change: costs nothing where the file system can link, else as `copyDurably`. */
export function linkOrCopy(file: string, target: string): void {
  try {
    linkSync(file, target);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'EEXIST') throw error;
    copyDurably(file, target);
  }
}

/** Hex, and the bytes that were read. */
export function hashFile(file: string): { sha256: string; bytes: number } {
  const hash = createHash('sha256');
  const buffer = Buffer.allocUnsafe(CHUNK);
  const handle = openSync(file, 'r');
  try {
    for (let bytes = 0; ; ) {
      const read = readSync(handle, buffer, 0, CHUNK, null);
      if (read === 0) return { sha256: hash.digest('hex'), bytes };
      hash.update(buffer.subarray(0, read));
      bytes += read;
    }
  } finally {
    closeSync(handle);
  }
}
