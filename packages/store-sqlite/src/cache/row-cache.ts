import { LRUCache } from 'lru-cache';

/**
 * Rows by the key they are looked up with (a hash, an access key), at most `size`: the least recently used is evicted
 * first. Misses are not cached.
 */
export class RowCache<V extends { readonly id: string }> {
  readonly #size: number;
  #byKey: LRUCache<string, V>;
  /** Invariant: holds exactly the ids of what `#byKey` holds. */
  #keyOf = new Map<string, string>();
  #invalidations = 0;

  constructor(size: number) {
    this.#size = size;
    this.#byKey = this.#empty();
  }

  /** How often a row was said to have changed, cached or not. */
  get invalidations(): number {
    return this.#invalidations;
  }

  byKey(key: string): V | undefined {
    return this.#byKey.get(key);
  }

  byId(id: string): V | undefined {
    const key = this.#keyOf.get(id);
    return key === undefined ? undefined : this.#byKey.get(key);
  }

  /** The key of a cached row never changes: code that changes it drops the row first. */
  add(key: string, value: V): void {
    this.#byKey.set(key, value);
    this.#keyOf.set(value.id, key);
  }

  replace(value: V): void {
    const key = this.#keyOf.get(value.id);
    if (key !== undefined) this.#byKey.set(key, value);
  }

  drop(id: string): void {
    this.#invalidations += 1;
    const key = this.#keyOf.get(id);
    if (key !== undefined) this.#byKey.delete(key);
  }

  /** In constant time. */
  clear(): void {
    this.#invalidations += 1;
    this.#byKey = this.#empty();
    this.#keyOf = new Map();
  }

  /** Not `max`, which allocates all entries at start. */
  #empty(): LRUCache<string, V> {
    return new LRUCache<string, V>({
      maxSize: this.#size,
      sizeCalculation: () => 1,
      noDisposeOnSet: true,
      dispose: (value) => this.#keyOf.delete(value.id),
    });
  }
}
