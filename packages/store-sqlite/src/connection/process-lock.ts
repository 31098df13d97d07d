import { readFileSync, renameSync, rmSync } from 'node:fs';
import { isBusy } from './failures.ts';
import { openDatabase } from './held-database.ts';
import { createPrivateFile, writeDraft } from './private-file.ts';

/** The process that holds a lock, as it describes itself to other processes. */
export interface LockHolder {
  readonly pid: number;
  /** Null until the address is known. */
  readonly address: string | null;
}

export interface ProcessLock {
  /**
   * Describes the holder for the error message of a process that finds the lock held. Failing to write it, for example
   * on a full disk, is not an error.
   */
  describe(holder: LockHolder): void;
  release(): void;
}

/**
 * A lock that the kernel releases when its process ends, even by SIGKILL. Node.js has no `flock`, so this uses the lock
 * that SQLite takes on a database file: an exclusive transaction on an empty database that stays open. Nothing else in
 * this process may open the file (see `createPrivateFile`).
 *
 * A file beside it describes the holder. A killed process leaves that file behind, so it tells who holds the lock, but
 * not whether it is held.
 * @returns null if another process holds the lock
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
    // Written to a draft and renamed, because another process may read the file at any moment.
    const draft = `${description}.new`;
    try {
      writeDraft(draft, `${JSON.stringify(holder)}\n`);
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

/** @returns undefined if the holder has not described itself yet */
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
