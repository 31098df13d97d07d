import type { Connection } from '../connection/connection.ts';

/**
 * Changes in effect but not written yet, by id. A rollback removes those made within it.
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
    this.#connection.remembers();
    const before = this.#values.get(id);
    this.#values.set(id, value);
    this.#connection.undoable(() => this.#restore(id, before));
  }

  /** For a row that is gone: it must not be written any more. */
  drop(id: string): void {
    const before = this.#values.get(id);
    if (before === undefined) return;
    this.#values.delete(id);
    this.#connection.undoable(() => this.#restore(id, before));
  }

  /** Removes and returns those that match. */
  take(passes: (value: V) => boolean = () => true): [id: string, value: V][] {
    const taken = [...this.#values].filter(([, value]) => passes(value));
    for (const [id] of taken) this.drop(id);
    return taken;
  }

  #restore(id: string, value: V | undefined): void {
    if (value === undefined) this.#values.delete(id);
    else this.#values.set(id, value);
  }
}
