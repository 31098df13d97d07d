/**
 * Runs work on the same key one after the other, so that concurrent requests do not all do expensive work whose result
 * only one of them can use.
 */
export class Turns {
  readonly #last = new Map<string, Promise<unknown>>();

  async take<T>(key: string, work: () => Promise<T>): Promise<T> {
    const turn = (this.#last.get(key) ?? Promise.resolve()).then(work);
    const over = turn.catch(() => undefined);
    this.#last.set(key, over);
    try {
      return await turn;
    } finally {
      if (this.#last.get(key) === over) this.#last.delete(key);
    }
  }
}
