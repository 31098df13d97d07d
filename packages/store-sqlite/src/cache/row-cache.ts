interface Entry<V> {
  readonly key: string;
  value: V;
}

/** Cache entries in two maps, by key and by id. Invariant: both maps hold the same entries. */
interface Generation<V> {
  readonly byKey: Map<string, Entry<V>>;
  readonly byId: Map<string, Entry<V>>;
}

/**
 * Caches up to `size` rows by the key with which they are looked up (a hash or an access key) and by id. At least the
 * most recently used half stays cached. When the young generation is full, it replaces the old generation, which is
 * dropped (as in the `GenerationalCache` of auth-core). This costs less than keeping a list in the order of use.
 * Look-ups that find no row are not cached.
 */
export class RowCache<V extends { readonly id: string }> {
  readonly #half: number;
  readonly #changed: () => void;
  #young: Generation<V> = newGeneration();
  #old: Generation<V> = newGeneration();

  /** @param changed called when a row is dropped, even one that was not cached, or the cache is cleared */
  constructor(size: number, changed: () => void = () => undefined) {
    this.#changed = changed;
    this.#half = Math.ceil(size / 2);
  }

  byKey(key: string): V | undefined {
    return this.#young.byKey.get(key)?.value ?? this.#usedAgain(this.#old.byKey.get(key));
  }

  byId(id: string): V | undefined {
    return this.#young.byId.get(id)?.value ?? this.#usedAgain(this.#old.byId.get(id));
  }

  /**
   * Adds a row. If the key of a cached row changes, the caller must first drop the row. Otherwise the cache would still
   * return it for the old key.
   */
  add(key: string, value: V): void {
    this.#put({ key, value });
  }

  replace(value: V): void {
    for (const { byId } of [this.#young, this.#old]) {
      const entry = byId.get(value.id);
      if (entry !== undefined) entry.value = value;
    }
  }

  drop(id: string): void {
    this.#changed();
    for (const { byKey, byId } of [this.#young, this.#old]) {
      const entry = byId.get(id);
      if (entry === undefined) continue;
      byKey.delete(entry.key);
      byId.delete(id);
    }
  }

  /** Removes all rows in constant time, regardless of how many there are. */
  clear(): void {
    this.#changed();
    this.#young = newGeneration();
    this.#old = newGeneration();
  }

  #usedAgain(entry: Entry<V> | undefined): V | undefined {
    if (entry !== undefined) this.#put(entry);
    return entry?.value;
  }

  #put(entry: Entry<V>): void {
    if (this.#young.byKey.size >= this.#half) {
      this.#old = this.#young;
      this.#young = newGeneration();
    }
    this.#young.byKey.set(entry.key, entry);
    this.#young.byId.set(entry.value.id, entry);
  }
}

function newGeneration<V>(): Generation<V> {
  return { byKey: new Map(), byId: new Map() };
}
