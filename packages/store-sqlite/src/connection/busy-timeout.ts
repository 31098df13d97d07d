import type Database from 'better-sqlite3';
import { isBusy } from './failures.ts';

/**
 * How long a statement waits while another process writes. All requests wait with it, since SQLite blocks the thread.
 * Other writers take milliseconds: `svc admin` changes one account. Only a process that changes the tables may take
 * longer; then requests are refused, and the server does not stand still.
 */
export const BUSY_MS = 1_000;

/** How long statements fail at once after one has timed out. */
export const REST_MS = 5_000;

/**
 * Waits for a lock once, not once a statement: after one has timed out, the next ones fail at once for a while.
 * However long the lock is held, the process is blocked for at most a sixth of the time.
 */
export class BusyTimeout {
  readonly #database: Database.Database;
  #rest: NodeJS.Timeout | undefined;

  constructor(database: Database.Database) {
    this.#database = database;
    this.#wait(BUSY_MS);
  }

  /** Called on every failure. */
  failed(error: unknown): void {
    if (this.#rest !== undefined || !isBusy(error)) return;
    this.#wait(0);
    this.#rest = setTimeout(() => this.#recover(), REST_MS);
    this.#rest.unref();
  }

  #recover(): void {
    this.#rest = undefined;
    if (this.#database.open) this.#wait(BUSY_MS);
  }

  #wait(ms: number): void {
    this.#database.exec(`pragma busy_timeout = ${ms}`);
  }
}
