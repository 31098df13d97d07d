import type Database from 'better-sqlite3';
import { isBusy } from './failures.ts';

/**
 * How long a statement waits while another process writes. SQLite blocks the thread, so all requests wait with it. `svc
 * admin` writes for milliseconds, because it changes one account. Only `svc migrate` may take longer, and then it is
 * better to refuse requests than not to respond.
 */
export const BUSY_MS = 1_000;

/** After a statement timed out, how long later statements fail without waiting. */
export const BACK_OFF_MS = 5_000;

/**
 * SQLite's `busy_timeout` with a back-off: after one statement timed out, the next ones fail immediately for a while. A
 * lock that is held for long therefore blocks the process for at most a sixth of the time.
 */
export class BusyTimeout {
  readonly #database: Database.Database;
  #backOff: NodeJS.Timeout | undefined;

  constructor(database: Database.Database) {
    this.#database = database;
    this.#wait(BUSY_MS);
  }

  /** Must be called with every failure. */
  failed(error: unknown): void {
    if (this.#backOff !== undefined || !isBusy(error)) return;
    this.#wait(0);
    this.#backOff = setTimeout(() => this.#recover(), BACK_OFF_MS);
    this.#backOff.unref();
  }

  #recover(): void {
    this.#backOff = undefined;
    if (this.#database.open) this.#wait(BUSY_MS);
  }

  #wait(ms: number): void {
    this.#database.exec(`pragma busy_timeout = ${ms}`);
  }
}
