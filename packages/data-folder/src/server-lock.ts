import type { Server } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { lockHolder, type ProcessLock, takeProcessLock } from '@svc/store-sqlite';
import type { DataPlace } from './data-place.ts';

/** Maximum time in ms to wait for another server that is shutting down and still holds the lock. */
const PATIENCE_MS = 2_000;
const PAUSE_MS = 50;

/**
 * Allows one server per data folder and database. A second server would mark the sessions of the first as ended and
 * serve outdated cached data. Commands of `svc` that can run while a server runs take no lock.
 */
export class ServerLock {
  readonly #locks: readonly ProcessLock[];

  private constructor(locks: readonly ProcessLock[]) {
    this.#locks = locks;
    this.#describe(null);
  }

  /**
   * Takes the locks of the data folder and the database.
   * @throws Error that names the other server if one is running
   */
  static async take({ dataDir, databaseFile }: DataPlace): Promise<ServerLock> {
    const files = [join(dataDir, 'svc.lock')];
    // A database outside the data folder (`SVC_DATABASE_URL`) gets its own lock, because two data folders may share it.
    if (dirname(databaseFile) !== dataDir) files.push(`${databaseFile}.lock`);
    const locks: ProcessLock[] = [];
    try {
      for (const file of files) locks.push(await takeLock(file));
    } catch (error) {
      for (const lock of locks) lock.release();
      throw error;
    }
    return new ServerLock(locks);
  }

  /** Writes the address of this server to the lock's description as soon as the server listens. */
  announce(server: Server): void {
    const tell = () => this.#describe(addressOf(server));
    if (server.listening) tell();
    else server.once('listening', tell);
  }

  release(): void {
    for (const lock of this.#locks) lock.release();
  }

  #describe(address: string | null): void {
    for (const lock of this.#locks) lock.describe({ pid: process.pid, address });
  }
}

async function takeLock(file: string): Promise<ProcessLock> {
  const until = performance.now() + PATIENCE_MS;
  for (;;) {
    const lock = takeProcessLock(file);
    if (lock !== null) return lock;
    if (performance.now() > until) throw new Error(takenBy(file));
    await pause(PAUSE_MS);
  }
}

function takenBy(file: string): string {
  const holder = lockHolder(file);
  const who = holder === undefined ? '' : `, process ${holder.pid}`;
  const where = holder?.address == null ? '' : ` at ${holder.address}`;
  return (
    `Another server${who}${where}, is running on the data in ${dirname(file)}. ` +
    'Stop it, or give this one a folder of its own with SVC_DATA_DIR (and a database with SVC_DATABASE_URL)'
  );
}

function addressOf(server: Server): string | null {
  const address = server.address();
  if (address === null || typeof address === 'string') return address;
  return address.family === 'IPv6'
    ? `[${address.address}]:${address.port}`
    : `${address.address}:${address.port}`;
}
