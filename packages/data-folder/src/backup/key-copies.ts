import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { keyFilesIn } from '../file-names.ts';

/** Contents by name. */
type KeyContents = ReadonlyMap<string, Buffer>;

type ReadFile = (path: string) => Buffer;

/** A rotation replaces three files, which takes milliseconds. */
const MOST_READS = 100;
const PAUSE_MS = 5;

/**
 * The key files as of one moment, whatever replaces them meanwhile: they are read until two readings in a row are equal.
 * A signing key never comes back, so it was the same throughout, also when the ring beside it was read. Any moment will
 * do: each step of a rotation leaves files a server can start on. `read`: instead of the file system's.
 */
export function readKeyFiles(dataDir: string, read: ReadFile = readFileSync): KeyContents {
  let before = readOnce(dataDir, read);
  for (let reads = 1; reads < MOST_READS; reads += 1) {
    const now = readOnce(dataDir, read);
    if (isSame(before, now)) return now;
    before = now;
    pause();
  }
  throw new Error(`The keys in ${dataDir} are changed again and again; try again when that is over`);
}

function readOnce(dataDir: string, read: ReadFile): KeyContents {
  const contents = new Map<string, Buffer>();
  for (const name of keyFilesIn(dataDir)) {
    try {
      contents.set(name, read(join(dataDir, name)));
    } catch (error) {
      // Removed meanwhile: the other reading lacks it too, or is not the same.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
  return contents;
}

function isSame(one: KeyContents, other: KeyContents): boolean {
  return one.size === other.size && [...one].every(([name, content]) => other.get(name)?.equals(content));
}

/** A backup is made without awaiting, the one before an upgrade within the opening of the database. */
function pause(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
}
