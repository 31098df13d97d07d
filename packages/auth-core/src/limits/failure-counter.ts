import type { Clock } from '../ports/index.ts';
import type { AttemptLimit } from './attempt-limit.ts';

/** Windows kept. */
const MOST = 20_000;

interface Window {
  count: number;
  readonly endsAt: number;
}

/**
 * Failures by key within a window that begins with the first one, for counters that a flood of other keys must not
 * wipe out (contract 4): a window that reached the limit is kept until it ends, and when room is needed the fewest
 * failures go first, so that forgetting one of many costs as many failures elsewhere. With nothing but locked windows
 * left there is no counting: `add` says so, and its user refuses.
 */
export class FailureCounter {
  readonly limit: AttemptLimit;
  readonly #clock: Clock;
  readonly #most: number;
  readonly #windows = new Map<string, Window>();
  /** Until then (ms) all that is kept is locked. */
  #fullUntil = 0;

  constructor(clock: Clock, limit: AttemptLimit, most = MOST) {
    this.#clock = clock;
    this.limit = limit;
    this.#most = most;
  }

  /** Counts one more. Answers 0, or for how many milliseconds nothing can be counted and nothing was. */
  add(key: string): number {
    const now = this.#clock.now();
    const window = this.#current(key, now);
    if (window !== undefined) {
      window.count += 1;
      return 0;
    }
    if (!this.#hasRoom(now)) return this.#fullUntil - now;
    this.#windows.set(key, { count: 1, endsAt: now + this.limit.windowMs });
    return 0;
  }

  /** Milliseconds until the window of a key that reached the limit ends; 0 when it did not. */
  waitMs(key: string): number {
    const now = this.#clock.now();
    const window = this.#current(key, now);
    return window === undefined || window.count < this.limit.attempts ? 0 : window.endsAt - now;
  }

  /** For one that was no failure after all. */
  takeBack(key: string): void {
    const window = this.#current(key, this.#clock.now());
    if (window === undefined) return;
    window.count -= 1;
    if (window.count === 0) this.#windows.delete(key);
  }

  reset(key: string): void {
    this.#windows.delete(key);
  }

  get size(): number {
    return this.#windows.size;
  }

  #current(key: string, now: number): Window | undefined {
    const window = this.#windows.get(key);
    if (window === undefined || now < window.endsAt) return window;
    this.#windows.delete(key);
    return undefined;
  }

  /** Makes it, a quarter at a time, so that the search is paid for by thousands of keys. */
  #hasRoom(now: number): boolean {
    if (this.#windows.size < this.#most) return true;
    if (now < this.#fullUntil) return false;
    for (const [key, { endsAt }] of this.#windows) if (now >= endsAt) this.#windows.delete(key);
    const open = [...this.#windows].filter(([, { count }]) => count < this.limit.attempts);
    open.sort(([, one], [, other]) => one.count - other.count);
    const surplus = Math.max(0, this.#windows.size - Math.floor((this.#most * 3) / 4));
    for (const [key] of open.slice(0, surplus)) this.#windows.delete(key);
    if (this.#windows.size < this.#most) return true;
    this.#fullUntil = Math.min(...[...this.#windows.values()].map(({ endsAt }) => endsAt));
    return false;
  }
}
