/**
 * Runs the transactions of the memory stores, and rolls back the changes of a failed transaction. Every change records
 * how to undo it.
 */
export class Journal {
  #undo: (() => void)[] = [];
  #afterwards: (() => void)[] = [];
  #open = false;
  #alone = false;
  #changes = 0;

  /** Number of changes and rollbacks so far. `Stores.version` is computed from it. */
  get changes(): number {
    return this.#changes;
  }

  /**
   * Runs a change after which `Stores.version` stays the same, because no row that a caller may have read becomes
   * outdated.
   */
  uncounted(work: () => void): void {
    const before = this.#changes;
    work();
    this.#changes = before;
  }

  /** Runs a change that needs no transaction, such as storing a last use or an extended expiry. */
  alone(work: () => void): void {
    this.#alone = true;
    this.uncounted(work);
    this.#alone = false;
  }

  /** Throws unless a transaction is open or `alone` runs. Call it before every change. */
  changing(): void {
    if (!this.#open && !this.#alone) throw new TypeError('A change outside a transaction');
  }

  note(undo: () => void): void {
    this.#changes += 1;
    if (this.#open) this.#undo.push(undo);
  }

  readonly transaction = <T>(work: () => T): T => {
    if (this.#open) throw new TypeError('A transaction within a transaction');
    this.#open = true;
    try {
      const result = work();
      if (isPromise(result)) throw new TypeError('A transaction must not return a promise');
      return result;
    } catch (error) {
      this.#changes += 1;
      for (const undo of this.#undo.reverse()) undo();
      throw error;
    } finally {
      this.#open = false;
      this.#undo = [];
      for (const work of this.#afterwards.splice(0)) work();
    }
  };

  readonly afterTransaction = (work: () => void): void => {
    if (this.#open) this.#afterwards.push(work);
    else work();
  };
}

function isPromise(value: unknown): boolean {
  if (typeof (value as PromiseLike<unknown> | null | undefined)?.then !== 'function') return false;
  (value as PromiseLike<unknown>).then(undefined, () => undefined);
  return true;
}

/** A table of rows by their key, whose changes can be rolled back. */
export class Rows<V> {
  readonly #journal: Journal;
  readonly #rows = new Map<string, V>();

  constructor(journal: Journal) {
    this.#journal = journal;
  }

  get(key: string): V | undefined {
    return this.#rows.get(key);
  }

  has(key: string): boolean {
    return this.#rows.has(key);
  }

  all(): V[] {
    return [...this.#rows.values()];
  }

  entries(): [string, V][] {
    return [...this.#rows];
  }

  find(passes: (row: V) => boolean): V | undefined {
    return this.all().find(passes);
  }

  set(key: string, row: V): void {
    this.#journal.changing();
    const before = this.#rows.get(key);
    const existed = this.#rows.has(key);
    this.#rows.set(key, row);
    this.#journal.note(() => (existed ? this.#rows.set(key, before as V) : this.#rows.delete(key)));
  }

  delete(key: string): boolean {
    this.#journal.changing();
    const row = this.#rows.get(key);
    if (!this.#rows.delete(key)) return false;
    this.#journal.note(() => this.#rows.set(key, row as V));
    return true;
  }

  /**
   * Removes the rows for which `passes` returns true.
   * @returns the keys of the removed rows
   */
  deleteWhere(passes: (row: V) => boolean): string[] {
    const keys = this.entries().flatMap(([key, row]) => (passes(row) ? [key] : []));
    for (const key of keys) this.delete(key);
    return keys;
  }
}
