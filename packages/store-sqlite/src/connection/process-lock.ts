import { closeSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { isBusy } from './failures.ts';
import { openDatabase } from './held-database.ts';

/** Who has a lock; what another process is told of it. */
export interface LockHolder {
  readonly pid: number;
  /** Null until it is known. */
  readonly address: string | null;
}

export interface ProcessLock {
  /** For those who find it held; a disk that does not take it costs them that, and nothing more. */
  describe(holder: LockHolder): void;
  release(): void;
}

/**
 * A lock that ends with its process, SIGKILL included, because the kernel holds it: Node.js has no `flock`, so it is
 * the lock SQLite takes on a database file, here an empty one in an exclusive transaction that is never ended. Nothing
 * else may open the file in this process: with POSIX locks, closing any handle of a file drops the locks on it.
 *
 * The holder is described in a file of its own beside it. That one may be left from a process that was killed, so it
 * says who holds a lock and never whether it is held. Null: another process holds it.
 */
export function takeProcessLock(file: string): ProcessLock | null {
  create(file);
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
      writeFileSync(draft, `${JSON.stringify(holder)}\n`, { mode: 0o600 });
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

/** For its owner only. One that is there is not opened: see above. */
function create(file: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** Undefined when the holder has not said yet. */
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
