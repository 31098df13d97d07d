/**
 * Cache of the ids of revoked tokens, keys and sign-ins. The value of an id is true if all tokens that were minted from
 * the revoked credential are revoked too. The table is read at first use.
 */
export class RevokedIds {
  #cascades: Map<string, boolean> | undefined;
  #invalidations = 0;

  /** Number of times since the start that an id was added or the cache was cleared. */
  get invalidations(): number {
    return this.#invalidations;
  }

  /** @returns the revoked ids. Calls `read` to read the table if the ids are not cached. */
  all(read: () => Iterable<readonly [string, boolean]>): ReadonlyMap<string, boolean> {
    this.#cascades ??= new Map(read());
    return this.#cascades;
  }

  set(id: string, cascades: boolean): void {
    this.#invalidations += 1;
    this.#cascades?.set(id, cascades || this.#cascades.get(id) === true);
  }

  clear(): void {
    this.#invalidations += 1;
    this.#cascades = undefined;
  }
}
