import { readFileSync, renameSync, rmSync } from 'node:fs';
import { isBusy } from './failures.ts';
import { openDatabase } from './held-database.ts';
import { createPrivateFile, writeDraft } from './private-file.ts';

/** The process that holds a lock, as others are told. */
export interface LockHolder {
  readonly pid: number;
  /** Null until it is known. */
  readonly address: string | null;
}

export interface ProcessLock {
  /** For the message of a process that finds it held. Best effort: a full disk is no error here. */
  describe(holder: LockHolder): void;
  release(): void;
}

/**
 * A lock the kernel releases when its process ends, SIGKILL included. Node.js has no `flock`, so it is the lock SQLite
 * takes on a database file: here an empty one, in an exclusive transaction that stays open. Nothing else in this process
 * may open the file (see `createPrivateFile`).
 *
 * A file beside it describes the holder. A killed process leaves that one behind, so it says who holds the lock and not
 * whether it is held. Returns null when another process holds the lock.
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
    // Written whole and renamed, since it may be read at any moment.
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

/** Undefined when the holder has not described itself yet. */
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
