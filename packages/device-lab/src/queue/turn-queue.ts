/** A request that waits for its turn. Times are ms since 1970. */
export interface Turn {
  /**
   * Account whose waiting requests are limited together with this one. Null if only the limit of the whole queue
   * applies.
   */
  readonly countedAs: string | null;
  /** Time at which the request began to wait. */
  readonly since: number;
  /** Time at which the request is refused if it has not been served before. */
  readonly until: number;
  /**
   * Tries to serve the request. If that fails and `isLast` is true, refuses the request.
   * @returns whether the request continues to wait
   */
  attempt(isLast: boolean): boolean;
}

/** Maximum number of waiting requests: in the whole queue, and with the same `countedAs` (contract 13). */
export const QUEUE_BOUNDS = { all: 256, ofOne: 16 } as const;

/**
 * Queue of requests that are served in rounds by account (contract 13): a request belongs to the round after that of
 * the last waiting request of its account, and in a round the earlier request goes first. An account with one request
 * therefore does not wait for all requests of an account with many. Each pass tries every request in this order, so that
 * a request does not delay requests for other things.
 */
export class TurnQueue<T extends Turn> {
  readonly #bounds: { readonly all: number; readonly ofOne: number };
  /** Waiting requests in the order of their arrival, with their rounds. */
  readonly #turns = new Map<T, number>();
  readonly #counts = new Map<string, number>();

  constructor(bounds: { readonly all: number; readonly ofOne: number } = QUEUE_BOUNDS) {
    this.#bounds = bounds;
  }

  get size(): number {
    return this.#turns.size;
  }

  /** Returns the requests in the order in which they are served. */
  list(): T[] {
    return [...this.#turns].sort(([, a], [, b]) => a - b).map(([turn]) => turn);
  }

  /**
   * Returns the round of a new request: the one that is served now, unless requests of the same account wait. All
   * requests without an account share their rounds.
   */
  #roundOf({ countedAs }: T): number {
    let now = Number.POSITIVE_INFINITY;
    let last = -1;
    for (const [turn, round] of this.#turns) {
      now = Math.min(now, round);
      if (turn.countedAs === countedAs) last = Math.max(last, round);
    }
    if (last >= 0) return last + 1;
    return this.#turns.size === 0 ? 0 : now;
  }

  /**
   * Adds a request at the end of its round.
   * @returns false if the queue is full, or if too many requests with the same `countedAs` wait
   */
  add(turn: T): boolean {
    const { countedAs } = turn;
    if (this.#turns.size >= this.#bounds.all) return false;
    if (countedAs !== null) {
      const count = this.#counts.get(countedAs) ?? 0;
      if (count >= this.#bounds.ofOne) return false;
      this.#counts.set(countedAs, count + 1);
    }
    this.#turns.set(turn, this.#roundOf(turn));
    return true;
  }

  /**
   * Removes a request.
   * @returns false if the request was not in the queue
   */
  remove(turn: T): boolean {
    if (!this.#turns.delete(turn)) return false;
    const { countedAs } = turn;
    if (countedAs === null) return true;
    const left = (this.#counts.get(countedAs) ?? 1) - 1;
    if (left === 0) this.#counts.delete(countedAs);
    else this.#counts.set(countedAs, left);
    return true;
  }

  /**
   * Tries to serve each waiting request, in order. Skips requests for which `mayTry` returns false. A request whose
   * time is over at `now` is tried for the last time and never skipped. This also applies if the clock was set back to
   * before the start of the wait.
   */
  pass(now: number, mayTry: (turn: T) => boolean = () => true): void {
    for (const turn of this.list()) {
      // An attempt can end other requests, for example when it reports that the account is gone.
      if (!this.#turns.has(turn)) continue;
      const isLast = now >= turn.until || now < turn.since;
      const tries = mayTry(turn);
      if ((tries || isLast) && !turn.attempt(isLast)) this.remove(turn);
    }
  }

  /** @returns the earliest time at which a waiting request must be refused, or null if no request waits */
  nextEnd(): number | null {
    let next: number | null = null;
    for (const { until } of this.#turns.keys()) if (next === null || until < next) next = until;
    return next;
  }
}
