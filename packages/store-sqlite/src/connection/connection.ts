import { Conflict, Unavailable } from '@svc/auth-core';
import type Database from 'better-sqlite3';
import { BusyTimeout } from './busy-timeout.ts';
import { storeFailure } from './failures.ts';
import { Statement } from './statement.ts';

/**
 * The only SQLite connection, with its transaction and the means to keep the caches coherent with the tables.
 * Invariant: whenever a cache is read, it equals the table plus the pending writes.
 */
export class Connection {
  readonly database: Database.Database;
  readonly #begin: Database.Statement<[]>;
  readonly #beginReading: Database.Statement<[]>;
  readonly #commit: Database.Statement<[]>;
  readonly #rollback: Database.Statement<[]>;
  readonly #version: Database.Statement<[]>;
  readonly #invalidators: (() => void)[] = [];
  readonly #busyTimeout: BusyTimeout;
  #undo: (() => void)[] = [];
  #afterwards: (() => void)[] = [];
  #open = false;
  /** The database failed within the transaction, so no part of it may be committed. */
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

  /** The statement is kept until the process ends; see `held-database.ts`. */
  prepare<Params, Row>(sql: string): Statement<Params, Row> {
    return new Statement(this, sql);
  }

  /** Registers a function that is called whenever cached rows may differ from the tables. */
  onInvalidate(invalidate: () => void): void {
    this.#invalidators.push(invalidate);
  }

  /**
   * Must be called before a cache is read, because another process (a break-glass command) may have written. It queries
   * SQLite once per turn of the event loop, because a query costs more than the rest of a check. A request therefore
   * sees what was committed before it arrived (docs/decisions/0004). No other process can write during a transaction.
   */
  checkForOtherWriters(): void {
    if (this.#open || this.#isFresh) return;
    this.#checkDataVersion();
    this.#isFresh = true;
    setImmediate(this.#endOfTurn);
  }

  /** Must be called before every change of a row. Throws outside a transaction. */
  beforeWrite(): void {
    if (!this.#open) throw new TypeError('A write outside a transaction');
    this.beforePendingWrite();
  }

  /** Must be called before every change of a pending write. */
  beforePendingWrite(): void {
    if (!this.#open) return;
    this.#intact();
    this.#changed = true;
  }

  /** Registers how to undo a change of a pending write if the open transaction is rolled back. */
  onRollback(undo: () => void): void {
    if (this.#open) this.#undo.push(undo);
  }

  close(): void {
    this.#isFresh = false;
    this.database.close();
  }

  /** @returns the ports' error for a failure of the database, after which the open transaction cannot be committed */
  failure(error: unknown): unknown {
    this.#busyTimeout.failed(error);
    const failure = storeFailure(error, this.database);
    if (failure !== error && !(failure instanceof Conflict)) this.#broken = true;
    return failure;
  }

  /** Commits everything that `work` does, or nothing if it throws. Throws within another transaction. */
  transaction<T>(work: () => T): T {
    if (this.#open) throw new TypeError('A transaction within a transaction');
    this.#run(() => this.#begin.run());
    this.#open = true;
    this.#changed = false;
    this.#broken = false;
    try {
      this.#checkDataVersion();
      const result = notAPromise(work());
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

  /** Lets `work` read one consistent state, regardless of what other processes write meanwhile. */
  snapshot<T>(work: () => T): T {
    if (this.#open) return work();
    this.#run(() => this.#beginReading.run());
    try {
      return this.#run(work);
    } finally {
      if (this.database.open && this.database.inTransaction) this.#rollback.run();
    }
  }

  /** Runs in the open transaction, or else in a new one, for stores whose ports have no transaction. */
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
    // Rows that were read after an uncommitted change must not stay cached.
    if (this.#changed) this.#invalidate();
  }

  #checkDataVersion(): void {
    const version = this.#run(() => this.#version.get());
    if (version === this.#seen) return;
    this.#invalidate();
    this.#seen = version;
  }

  /**
   * Throws if SQLite has rolled back on its own, for example on a full disk, because a later write must not be
   * committed alone.
   */
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

  #invalidate(): void {
    for (const invalidate of this.#invalidators) invalidate();
  }
}

/** Rejects promises, because the transaction would end before the work does. */
function notAPromise<T>(result: T): T {
  const then = (result as { then?: unknown } | null | undefined)?.then;
  if (typeof then !== 'function') return result;
  // Suppresses the report of the promise's rejection, because the TypeError is reported.
  then.call(result, undefined, () => undefined);
  throw new TypeError('A transaction must not return a promise');
}
