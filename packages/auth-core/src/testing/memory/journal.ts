import type { Transaction } from '../../ports.ts';

/** How memory stores take back what a failed transaction did: every change leaves its undoing. */
export class Journal {
  #undo: (() => void)[] = [];
  #afterwards: (() => void)[] = [];
  #depth = 0;
  #changes = 0;

  /** How often anything changed or was taken back. */
  get changes(): number {
    return this.#changes;
  }

  /** Does what is no change of anything that was handed out. */
  uncounted(work: () => void): void {
    const before = this.#changes;
    work();
    this.#changes = before;
  }

  note(undo: () => void): void {
    this.#changes += 1;
    if (this.#depth > 0) this.#undo.push(undo);
  }

  readonly transaction: Transaction = (work) => {
    const mark = this.#undo.length;
    this.#depth += 1;
    try {
      const result = work();
      if (isPromise(result)) throw new TypeError('A transaction must not return a promise');
      return result;
    } catch (error) {
      this.#changes += 1;
      for (const undo of this.#undo.splice(mark).reverse()) undo();
      throw error;
    } finally {
      this.#depth -= 1;
      if (this.#depth === 0) this.#over();
    }
  };

  readonly afterTransaction = (work: () => void): void => {
    if (this.#depth === 0) work();
    else this.#afterwards.push(work);
  };

  #over(): void {
    this.#undo = [];
    for (const work of this.#afterwards.splice(0)) work();
  }
}

function isPromise(value: unknown): boolean {
  if (typeof (value as PromiseLike<unknown> | null | undefined)?.then !== 'function') return false;
  (value as PromiseLike<unknown>).then(undefined, () => undefined);
  return true;
}

/** Rows by their key. */
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
    const before = this.#rows.get(key);
    const existed = this.#rows.has(key);
    this.#rows.set(key, row);
    this.#journal.note(() => (existed ? this.#rows.set(key, before as V) : this.#rows.delete(key)));
  }

  delete(key: string): boolean {
    const row = this.#rows.get(key);
    if (!this.#rows.delete(key)) return false;
    this.#journal.note(() => this.#rows.set(key, row as V));
    return true;
  }

  /** Answers the keys that went. */
  deleteWhere(passes: (row: V) => boolean): string[] {
    const keys = this.entries().flatMap(([key, row]) => (passes(row) ? [key] : []));
    for (const key of keys) this.delete(key);
    return keys;
  }
}
