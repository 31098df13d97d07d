interface Entry<V> {
  readonly key: string;
  value: V;
}

/** Invariant: both maps hold the same entries. */
interface Generation<V> {
  readonly byKey: Map<string, Entry<V>>;
  readonly byId: Map<string, Entry<V>>;
}

/**
 * Caches at most `size` rows by the key they are looked up with (a hash, an access key), and always keeps at least the
 * most recently used half. Two generations swap places, as in the `GenerationalCache` of the core, because a list
 * ordered by use would cost more than the rest of a first request. Misses are not cached.
 */
export class RowCache<V extends { readonly id: string }> {
  readonly #half: number;
  #young: Generation<V> = newGeneration();
  #old: Generation<V> = newGeneration();
  #invalidations = 0;

  constructor(size: number) {
    this.#half = Math.ceil(size / 2);
  }

  /** Number of times that a row was dropped or the cache was cleared, whether or not the row was cached. */
  get invalidations(): number {
    return this.#invalidations;
  }

  byKey(key: string): V | undefined {
    return this.#young.byKey.get(key)?.value ?? this.#usedAgain(this.#old.byKey.get(key));
  }

  byId(id: string): V | undefined {
    return this.#young.byId.get(id)?.value ?? this.#usedAgain(this.#old.byId.get(id));
  }

  /** The key of a cached row must not change, so code that changes it drops the row first. */
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
    this.#invalidations += 1;
    for (const { byKey, byId } of [this.#young, this.#old]) {
      const entry = byId.get(id);
      if (entry === undefined) continue;
      byKey.delete(entry.key);
      byId.delete(id);
    }
  }

  /** Takes constant time. */
  clear(): void {
    this.#invalidations += 1;
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
