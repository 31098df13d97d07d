import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { keyFilesIn } from '../file-names.ts';

/** Contents of files, by file name. */
type KeyContents = ReadonlyMap<string, Buffer>;

type ReadFile = (path: string) => Buffer;

/**
 * Maximum number of times that the key files are read. Normally a few are enough, because a rotation replaces its files
 * within milliseconds.
 */
const MOST_READS = 100;
const PAUSE_MS = 5;

/**
 * Reads all key files repeatedly until two consecutive readings are equal. A single reading could mix old and new
 * files, because a rotation may replace files while they are read. Tests replace `read`.
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
      // Ignores a file that was removed after it was listed, because `readKeyFiles` reads all files again and compares.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
  return contents;
}

function isSame(one: KeyContents, other: KeyContents): boolean {
  return one.size === other.size && [...one].every(([name, content]) => other.get(name)?.equals(content));
}

/**
 * Blocks the thread for a few milliseconds. It cannot wait asynchronously, because backups are synchronous: the
 * database is opened synchronously, and the backup before an upgrade is made while it is opened.
 */
function pause(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
}
