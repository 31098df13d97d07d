/**
 * Cache that keeps at least the `size` values used last, and at most twice as many. When the map of newer values is
 * full, it replaces the map of older values. This is cheaper than to keep all values in the order of their last use.
 */
export class GenerationalCache<K, V> {
  readonly #size: number;
  #young = new Map<K, V>();
  #old = new Map<K, V>();
  #age = 0;

  constructor(size: number) {
    this.#size = size;
  }

  /**
   * Counter that is raised whenever entries may have been evicted. While the counter has the same value as when an
   * entry was read or written, the entry is still present.
   */
  get age(): number {
    return this.#age;
  }

  get(key: K): V | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    if (old !== undefined) this.set(key, old);
    return old;
  }

  /** @returns the value of the key, or the result of `make`, which then becomes its value */
  getOr(key: K, make: () => V): V {
    const known = this.get(key);
    if (known !== undefined) return known;
    const made = make();
    this.set(key, made);
    return made;
  }

  set(key: K, value: V): void {
    if (this.#young.size >= this.#size) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#age += 1;
    }
    this.#young.set(key, value);
  }
}
