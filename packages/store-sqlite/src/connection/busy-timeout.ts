import type Database from 'better-sqlite3';
import { isBusy } from './failures.ts';

/**
 * How long a statement waits while another process writes. All requests wait with it, since SQLite blocks the thread.
 * The command line writes for milliseconds (`svc admin` changes one account); only `svc migrate` may take longer, and
 * then refusals are better than a server that does not answer.
 */
export const BUSY_MS = 1_000;

/** How long statements do not wait after one timed out. */
export const BACK_OFF_MS = 5_000;

/**
 * SQLite's `busy_timeout` with a back-off: after one statement timed out, the next ones fail at once for a while. So a
 * lock held for long blocks the process for a sixth of the time at most, however many statements meet it.
 */
export class BusyTimeout {
  readonly #database: Database.Database;
  #backOff: NodeJS.Timeout | undefined;

  constructor(database: Database.Database) {
    this.#database = database;
    this.#wait(BUSY_MS);
  }

  /** Call it with every failure. */
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
