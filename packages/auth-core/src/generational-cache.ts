/**
 * Remembers by key at least the `size` values used last and at most twice as many. Two plain maps that change
 * places, not a list of uses: on the path of every request a look into that list costs more than all else here,
 * because each caller's part of it lies somewhere else in memory.
 */
export class GenerationalCache<K, V> {
  readonly #size: number;
  #young = new Map<K, V>();
  #old = new Map<K, V>();
  #age = 0;

  constructor(size: number) {
    this.#size = size;
  }

  /** Raised whenever something may have been forgotten: what was got or set at this age is still here. */
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

  set(key: K, value: V): void {
    if (this.#young.size >= this.#size) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#age += 1;
    }
    this.#young.set(key, value);
  }
}
