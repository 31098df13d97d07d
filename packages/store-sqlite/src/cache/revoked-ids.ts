/**
 * Cache of the ids of revoked tokens, keys and sign-ins. The value of an id is true if all tokens that were minted from
 * the revoked credential are revoked too. The table is read at first use.
 */
export class RevokedIds {
  #cascades: Map<string, boolean> | undefined;
  readonly #changed: () => void;

  /** @param changed called when an id is added or the cache is cleared */
  constructor(changed: () => void) {
    this.#changed = changed;
  }

  /** @returns the revoked ids. Calls `read` to read the table if the ids are not cached. */
  all(read: () => Iterable<readonly [string, boolean]>): ReadonlyMap<string, boolean> {
    this.#cascades ??= new Map(read());
    return this.#cascades;
  }

  set(id: string, cascades: boolean): void {
    this.#changed();
    this.#cascades?.set(id, cascades || this.#cascades.get(id) === true);
  }

  clear(): void {
    this.#changed();
    this.#cascades = undefined;
  }
}
