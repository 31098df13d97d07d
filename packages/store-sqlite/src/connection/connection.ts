import { Conflict, Unavailable } from '@svc/auth-core';
import type Database from 'better-sqlite3';
import { BusyTimeout } from './busy-timeout.ts';
import { storeFailure } from './failures.ts';
import { Statement } from './statement.ts';

/**
 * The one SQLite connection: its transaction, and the rule by which anything remembered in memory stays true.
 * Invariant: what is remembered equals the table (plus what waits to be written), at every moment it is used.
 */
export class Connection {
  readonly database: Database.Database;
  readonly #begin: Database.Statement<[]>;
  readonly #beginReading: Database.Statement<[]>;
  readonly #commit: Database.Statement<[]>;
  readonly #rollback: Database.Statement<[]>;
  readonly #version: Database.Statement<[]>;
  readonly #forgetting: (() => void)[] = [];
  readonly #busyTimeout: BusyTimeout;
  #undo: (() => void)[] = [];
  #afterwards: (() => void)[] = [];
  #open = false;
  /** The database failed within the transaction: nothing of it may be committed. */
  #broken = false;
  #changed = false;
  #seen: unknown;
  #isFresh = false;
  readonly #endOfTurn = (): void => {
    this.#isFresh = false;
  };

  constructor(database: Database.Database) {
    this.database = database;
    this.#busyTimeout = new BusyTimeout(database);
    this.#begin = database.prepare('begin immediate');
    this.#beginReading = database.prepare('begin');
    this.#commit = database.prepare('commit');
    this.#rollback = database.prepare('rollback');
    this.#version = database.prepare('pragma data_version').pluck();
    this.#seen = this.#version.get();
  }

  /** For the life of the connection: see `held-database.ts`. */
  prepare<Params, Row>(sql: string): Statement<Params, Row> {
    return new Statement(this, sql);
  }

  /** `forget` is called whenever what is remembered may differ from the tables. */
  onForget(forget: () => void): void {
    this.#forgetting.push(forget);
  }

  /**
   * To be called before anything remembered is used: another process may have written (a break-glass command).
   * Looks once in a turn of the event loop, since a look costs more than all else a check does: what was committed
   * before a request came in is seen by that request (docs/decisions/0004). Within a transaction nobody else writes.
   */
  fresh(): void {
    if (this.#open || this.#isFresh) return;
    this.#look();
    this.#isFresh = true;
    setImmediate(this.#endOfTurn);
  }

  /** To be called before every change of a row: there is none outside a transaction. */
  writes(): void {
    if (!this.#open) throw new TypeError('A write outside a transaction');
    this.remembers();
  }

  /** To be called before every change of something in memory that waits to become one of a row. */
  remembers(): void {
    if (!this.#open) return;
    this.#intact();
    this.#changed = true;
  }

  /** Takes back, on rollback, a change to something in memory that no table holds. */
  undoable(undo: () => void): void {
    if (this.#open) this.#undo.push(undo);
  }

  close(): void {
    this.#isFresh = false;
    this.database.close();
  }

  failure(error: unknown): unknown {
    this.#busyTimeout.failed(error);
    const failure = storeFailure(error, this.database);
    if (failure !== error && !(failure instanceof Conflict)) this.#broken = true;
    return failure;
  }

  /** All that `work` does or nothing of it. None within another: what belongs together says so by one. */
  transaction<T>(work: () => T): T {
    if (this.#open) throw new TypeError('A transaction within a transaction');
    this.#run(() => this.#begin.run());
    this.#open = true;
    this.#changed = false;
    this.#broken = false;
    try {
      this.#look();
      const result = settled(work());
      this.#intact();
      this.#commit.run();
      return result;
    } catch (error) {
      this.#abandon();
      throw this.failure(error);
    } finally {
      this.#open = false;
      this.#undo = [];
      for (const work of this.#afterwards.splice(0)) work();
    }
  }

  /** What `work` reads is of one moment, whatever other processes write meanwhile. */
  snapshot<T>(work: () => T): T {
    if (this.#open) return work();
    this.#run(() => this.#beginReading.run());
    try {
      return this.#run(work);
    } finally {
      if (this.database.open && this.database.inTransaction) this.#rollback.run();
    }
  }

  /** In the transaction that is open, or else in one of its own: for stores that write alone. */
  join<T>(work: () => T): T {
    return this.#open ? work() : this.transaction(work);
  }

  afterTransaction(work: () => void): void {
    if (this.#open) this.#afterwards.push(work);
    else work();
  }

  #abandon(): void {
    if (this.database.open && this.database.inTransaction) this.#run(() => this.#rollback.run());
    for (const undo of this.#undo.reverse()) undo();
    // What was read after an uncommitted change must not be remembered.
    if (this.#changed) this.#forget();
  }

  #look(): void {
    const version = this.#run(() => this.#version.get());
    if (version === this.#seen) return;
    this.#forget();
    this.#seen = version;
  }

  /** SQLite ends a transaction by itself on a full disk and the like; a later write must not go through alone. */
  #intact(): void {
    if (this.#broken || !this.database.inTransaction) {
      throw new Unavailable('database: the transaction was lost');
    }
  }

  #run<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw this.failure(error);
    }
  }

  #forget(): void {
    for (const forget of this.#forgetting) forget();
  }
}

/** A promise would let the transaction end before the work does. */
function settled<T>(result: T): T {
  const then = (result as { then?: unknown } | null | undefined)?.then;
  if (typeof then !== 'function') return result;
  // Whatever becomes of the promise, the TypeError is the answer.
  then.call(result, undefined, () => undefined);
  throw new TypeError('A transaction must not return a promise');
}
