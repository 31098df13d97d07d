/** The revoked ids in memory, each with whether it cascades. They are read from the table when they are first needed. */
export class RevokedIds {
  #cascades: Map<string, boolean> | undefined;
  #invalidations = 0;

  /** Number of times that an id was added or the ids were cleared. */
  get invalidations(): number {
    return this.#invalidations;
  }

  /** @returns the ids; `read` reads the table if they are not in memory */
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
