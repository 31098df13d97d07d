import { readFileSync, renameSync, rmSync } from 'node:fs';
import { isBusy } from './failures.ts';
import { openDatabase } from './held-database.ts';
import { createPrivateFile, writeDraft } from './private-file.ts';

/** Process that holds a lock, with the data that it publishes about itself. */
export interface LockHolder {
  readonly pid: number;
  /** Address that the server listens on, or null until it is known. */
  readonly address: string | null;
}

export interface ProcessLock {
  /**
   * Writes who holds the lock to a file, for the error message of a process that finds the lock held. A failure to
   * write the file, for example on a full disk, is ignored.
   */
  describe(holder: LockHolder): void;
  release(): void;
}

/**
 * Takes a lock that the kernel releases when the process ends, even by SIGKILL. Node.js has no `flock`, so this uses a
 * lock that SQLite takes on a file: an exclusive transaction that stays open on an empty database. No other code in
 * this process may open the file (see `createPrivateFile`).
 *
 * A second file next to the lock file describes the holder. That file remains if the process is killed, so it does not
 * show whether the lock is held.
 * @returns the lock, or null if another process holds it
 */
export function takeProcessLock(file: string): ProcessLock | null {
  createPrivateFile(file);
  const database = openDatabase(file, { timeout: 0 });
  try {
    database.exec('begin exclusive');
  } catch (error) {
    database.close();
    if (isBusy(error)) return null;
    throw error;
  }
  const description = descriptionOf(file);
  const describe = (holder: LockHolder): void => {
    // Writes a draft and renames it, so that another process never reads a partial description. The start of the server
    // does not wait for the disk, because the description means nothing after a power failure.
    const draft = `${description}.new`;
    try {
      writeDraft(draft, `${JSON.stringify(holder)}\n`, { isDurable: false });
      renameSync(draft, description);
    } catch {
      rmSync(draft, { force: true });
    }
  };
  const release = (): void => {
    if (!database.open) return;
    rmSync(description, { force: true });
    database.close();
  };
  return { describe, release };
}

/**
 * Reads which process holds a lock, or held it last.
 * @returns undefined if the file that describes the holder is missing or invalid
 */
export function lockHolder(file: string): LockHolder | undefined {
  try {
    const { pid, address } = JSON.parse(readFileSync(descriptionOf(file), 'utf8'));
    return Number.isSafeInteger(pid)
      ? { pid, address: typeof address === 'string' ? address : null }
      : undefined;
  } catch {
    return undefined;
  }
}

function descriptionOf(file: string): string {
  return `${file}.json`;
}
