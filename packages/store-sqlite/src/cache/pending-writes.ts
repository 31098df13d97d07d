import type { Connection } from '../connection/connection.ts';

/**
 * New values for rows, by row id. Readers get these values already before they are written to the database. If a
 * transaction is rolled back, the changes that were made here during the transaction are undone.
 */
export class PendingWrites<V> {
  readonly #connection: Connection;
  #values = new Map<string, V>();

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  get size(): number {
    return this.#values.size;
  }

  get(id: string): V | undefined {
    return this.#values.get(id);
  }

  set(id: string, value: V): void {
    this.#connection.beforePendingWrite();
    const before = this.#values.get(id);
    this.#values.set(id, value);
    this.#connection.onRollback(() => this.#restore(id, before));
  }

  /** Drops the pending write of a row that is removed. */
  drop(id: string): void {
    const before = this.#values.get(id);
    if (before === undefined) return;
    this.#values.delete(id);
    this.#connection.onRollback(() => this.#restore(id, before));
  }

  /** Removes and returns up to `most` pending changes that pass the test, oldest first. */
  take(most: number, passes: (value: V) => boolean = () => true): [id: string, value: V][] {
    const taken: [id: string, value: V][] = [];
    for (const [id, value] of this.#values) {
      if (taken.length >= most) break;
      if (passes(value)) taken.push([id, value]);
    }
    for (const [id] of taken) this.drop(id);
    return taken;
  }

  #restore(id: string, value: V | undefined): void {
    if (value === undefined) this.#values.delete(id);
    else this.#values.set(id, value);
  }
}
