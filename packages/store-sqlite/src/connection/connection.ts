import { type Transaction, Unavailable } from '@svc/auth-core';
import type Database from 'better-sqlite3';
import { BusyTimeout } from './busy-timeout.ts';
import { storeFailure } from './failures.ts';

/**
 * The one SQLite connection: its transaction, and the rule by which anything remembered in memory stays true.
 * Invariant: what is remembered equals the table (plus what waits to be written), at every moment it is used.
 */
export class Connection {
  readonly database: Database.Database;
  readonly #begin: Database.Statement<[]>;
  readonly #commit: Database.Statement<[]>;
  readonly #rollback: Database.Statement<[]>;
  readonly #version: Database.Statement<[]>;
  readonly #forgetting: (() => void)[] = [];
  readonly #busyWait: BusyTimeout;
  #undo: (() => void)[] = [];
  #afterwards: (() => void)[] = [];
  #depth = 0;
  #changed = false;
  #seen: unknown;
  #isFresh = false;
  readonly #endOfTurn = (): void => {
    this.#isFresh = false;
  };

  constructor(database: Database.Database) {
    this.database = database;
    this.#busyWait = new BusyTimeout(database);
    this.#begin = database.prepare('begin immediate');
    this.#commit = database.prepare('commit');
    this.#rollback = database.prepare('rollback');
    this.#version = database.prepare('pragma data_version').pluck();
    this.#seen = this.#version.get();
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
    if (this.#depth > 0 || this.#isFresh) return;
    this.#look();
    this.#isFresh = true;
    setImmediate(this.#endOfTurn);
  }

  /** To be called before every change, of a row or of something waiting to become one. */
  changes(): void {
    if (this.#depth === 0) return;
    this.#intact();
    this.#changed = true;
  }

  /** Takes back, on rollback, a change to something in memory that no table holds. */
  undoable(undo: () => void): void {
    if (this.#depth > 0) this.#undo.push(undo);
  }

  close(): void {
    this.#isFresh = false;
    this.database.close();
  }

  failure(error: unknown): unknown {
    this.#busyWait.failed(error);
    return storeFailure(error, this.database);
  }

  readonly transaction: Transaction = (work) =>
    this.#depth === 0 ? this.#outermost(work) : this.#nested(work);

  readonly afterTransaction = (work: () => void): void => {
    if (this.#depth === 0) work();
    else this.#afterwards.push(work);
  };

  #outermost<T>(work: () => T): T {
    this.#run(() => this.#begin.run());
    this.#depth = 1;
    this.#changed = false;
    try {
      this.#look();
      const result = settled(work());
      this.#commit.run();
      return result;
    } catch (error) {
      this.#abandon(() => this.#rollback.run(), 0);
      throw this.failure(error);
    } finally {
      this.#depth = 0;
      this.#undo = [];
      for (const work of this.#afterwards.splice(0)) work();
    }
  }

  /** Joins the outer transaction; when it fails and the outer one goes on, nothing of it stays. */
  #nested<T>(work: () => T): T {
    const name = `nested_${this.#depth}`;
    const mark = this.#undo.length;
    this.#intact();
    this.#run(() => this.database.exec(`savepoint ${name}`));
    this.#depth += 1;
    try {
      const result = settled(work());
      this.database.exec(`release ${name}`);
      return result;
    } catch (error) {
      this.#abandon(() => this.database.exec(`rollback to ${name}; release ${name}`), mark);
      throw this.failure(error);
    } finally {
      this.#depth -= 1;
    }
  }

  #abandon(rollBack: () => void, mark: number): void {
    if (this.database.open && this.database.inTransaction) this.#run(rollBack);
    this.#takeBack(mark);
  }

  #takeBack(mark: number): void {
    for (const undo of this.#undo.splice(mark).reverse()) undo();
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
    if (!this.database.inTransaction) throw new Unavailable('database: the transaction was lost');
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
