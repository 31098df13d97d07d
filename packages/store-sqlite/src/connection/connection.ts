import { Conflict, Unavailable } from '@svc/auth-core';
import type Database from 'better-sqlite3';
import { BusyTimeout } from './busy-timeout.ts';
import { hasNoRoom, storeFailure } from './failures.ts';
import { Statement } from './statement.ts';

/**
 * The only SQLite connection of the process. It runs the transactions and keeps the caches coherent with the tables.
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
  /**
   * Whether the open transaction must be rolled back, because a statement failed for another reason than a conflict.
   */
  #broken = false;
  #changed = false;
  /** Whether the disk had no room for the last transaction that wrote. */
  #isFull = false;
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

  /**
   * Returns a statement. Its memory is not freed before the process ends, so prepare each statement once (see
   * `held-database.ts`).
   */
  prepare<Params, Row>(sql: string): Statement<Params, Row> {
    return new Statement(this, sql);
  }

  /** Registers a function that is called whenever cached rows may differ from the tables. */
  onInvalidate(invalidate: () => void): void {
    this.#invalidators.push(invalidate);
  }

  /**
   * Clears the caches if another process, such as an `svc` command, has changed the database. Must be called before a
   * cache is read. Queries SQLite only once per turn of the event loop, because the query takes much longer than a read
   * from a cache. A request nevertheless sees everything that was committed before it arrived (docs/decisions/0004).
   * Does nothing in a transaction, because this process then holds the write lock.
   */
  checkForOtherWriters(): void {
    if (this.#open || this.#isFresh) return;
    this.#checkDataVersion();
    this.#isFresh = true;
    setImmediate(this.#endOfTurn);
  }

  /**
   * Records that the open transaction changes rows, so that the caches are cleared if it is rolled back. Must be called
   * before every change of a row. Throws outside a transaction.
   */
  beforeWrite(): void {
    if (!this.#open) throw new TypeError('A write outside a transaction');
    this.beforePendingWrite();
  }

  /**
   * Must be called before every change of a `PendingWrites` object. If a transaction is open, causes the caches to be
   * cleared should the transaction be rolled back.
   */
  beforePendingWrite(): void {
    if (!this.#open) return;
    this.#intact();
    this.#changed = true;
  }

  /**
   * Registers a function that undoes a change of a pending write if the open transaction is rolled back. Outside a
   * transaction nothing is registered, because the change cannot be rolled back.
   */
  onRollback(undo: () => void): void {
    if (this.#open) this.#undo.push(undo);
  }

  close(): void {
    this.#isFresh = false;
    this.database.close();
  }

  /**
   * Converts a failure of the database to an error of the store interfaces. Unless the failure is a conflict, the open
   * transaction can no longer be committed.
   */
  failure(error: unknown): unknown {
    if (hasNoRoom(error)) this.#isFull = true;
    this.#busyTimeout.failed(error);
    const failure = storeFailure(error, this.database);
    if (failure !== error && !(failure instanceof Conflict)) this.#broken = true;
    return failure;
  }

  /**
   * Runs `work` in a transaction, which is committed completely, or not at all if `work` throws. Throws if a
   * transaction is already open.
   */
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
      if (this.#changed) this.#isFull = false;
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

  /**
   * Runs `work` in a read transaction, so that it reads one consistent state, regardless of what other processes write
   * meanwhile.
   */
  snapshot<T>(work: () => T): T {
    if (this.#open) return work();
    this.#run(() => this.#beginReading.run());
    try {
      return this.#run(work);
    } finally {
      if (this.database.open && this.database.inTransaction) this.#rollback.run();
    }
  }

  /**
   * Runs `work` in the open transaction, or in a new transaction if none is open.
   */
  join<T>(work: () => T): T {
    return this.#open ? work() : this.transaction(work);
  }

  /**
   * @returns whether writes succeed. After a write for which the disk had no room, this method writes one page without
   * a change, so that the answer is true again as soon as there is room.
   */
  canWrite(): boolean {
    if (!this.#isFull || this.#open) return !this.#isFull;
    try {
      this.transaction(() => {
        this.database.pragma(`user_version = ${this.database.pragma('user_version', { simple: true })}`);
      });
      this.#isFull = false;
    } catch {
      // Still no room.
    }
    return !this.#isFull;
  }

  afterTransaction(work: () => void): void {
    if (this.#open) this.#afterwards.push(work);
    else work();
  }

  #abandon(): void {
    if (this.database.open && this.database.inTransaction) this.#run(() => this.#rollback.run());
    for (const undo of this.#undo.reverse()) undo();
    // Clear the caches, because rows that were read and cached during the transaction may contain its undone changes.
    if (this.#changed) this.#invalidate();
  }

  #checkDataVersion(): void {
    const version = this.#run(() => this.#version.get());
    if (version === this.#seen) return;
    this.#invalidate();
    this.#seen = version;
  }

  /**
   * Throws if SQLite has rolled the transaction back on its own, for example on a full disk. Without this check, later
   * writes of the same transaction would be committed although the earlier ones are lost.
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

/** Throws if the result is a promise, because the transaction would be committed before the asynchronous work ends. */
function notAPromise<T>(result: T): T {
  const then = (result as { then?: unknown } | null | undefined)?.then;
  if (typeof then !== 'function') return result;
  // Handles a rejection of the promise, so that Node does not report it in addition to the `TypeError`.
  then.call(result, undefined, () => undefined);
  throw new TypeError('A transaction must not return a promise');
}
