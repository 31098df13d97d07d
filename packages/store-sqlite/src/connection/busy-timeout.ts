import type Database from 'better-sqlite3';
import { isBusy } from './failures.ts';

/**
 * Time in ms that a statement waits while another process writes. SQLite blocks the thread, so all requests wait with
 * the statement. `svc admin` writes for milliseconds, because it changes one account. Only `svc migrate` may take
 * longer, and then refusing requests is better than not responding.
 */
export const BUSY_MS = 1_000;

/** Time in ms for which statements fail without waiting, after one of them has timed out. */
export const BACK_OFF_MS = 5_000;

/**
 * Sets SQLite's `busy_timeout` with a back-off: after a statement has waited `BUSY_MS` for a lock in vain, all
 * statements that find the database locked fail immediately for `BACK_OFF_MS`. A long lock of another process therefore
 * blocks this process for only one of six seconds.
 */
export class BusyTimeout {
  readonly #database: Database.Database;
  #backOff: NodeJS.Timeout | undefined;

  constructor(database: Database.Database) {
    this.#database = database;
    this.#wait(BUSY_MS);
  }

  /** Must be called with the error of every failed statement. Starts the back-off if the database was locked. */
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
