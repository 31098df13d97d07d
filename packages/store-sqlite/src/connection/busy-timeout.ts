import type Database from 'better-sqlite3';
import { isBusy } from './failures.ts';

/**
 * How long a statement waits while another process writes. Everybody waits with it, since SQLite blocks the thread.
 * Who else writes takes milliseconds: `svc admin` changes one account. Only a second process that changes the tables
 * at its start may take longer, and what it needs is refusals, not a server that stands still.
 */
export const BUSY_MS = 1_000;

/** How long nothing waits once waiting was in vain. */
export const REST_MS = 5_000;

/**
 * Waits for a lock once, not once a statement: when one has waited in vain the next ones fail at once for a while.
 * However long a lock is held and however many ask, the process stands still for a sixth of the time at most.
 */
export class BusyTimeout {
  readonly #database: Database.Database;
  #rest: NodeJS.Timeout | undefined;

  constructor(database: Database.Database) {
    this.#database = database;
    this.#wait(BUSY_MS);
  }

  /** To be told of every failure. */
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
