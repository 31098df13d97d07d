import { type Clock, Refusal } from '@svc/auth-core';
import type { AttemptLimit } from './attempt-limit.ts';
import { retryAfterSeconds } from './attempts.ts';

/** Maximum number of keys whose failures are counted at the same time. */
const MOST = 20_000;

interface Window {
  count: number;
  readonly endsAt: number;
}

/**
 * Counts failures by key within a window that begins with the first failure. A window that has reached the limit is
 * locked: it is kept until it ends, so that an attacker cannot remove it by a flood of other keys (contract 4). When
 * space is needed, the other windows are dropped, those with the fewest failures first. If all windows are locked, a
 * new key cannot be counted: `add` returns the time to wait, and the caller refuses the attempt.
 */
export class FailureCounter {
  readonly limit: AttemptLimit;
  readonly #clock: Clock;
  readonly #most: number;
  readonly #windows = new Map<string, Window>();
  /** Time (ms since 1970) until which no new window can be stored, because all windows are locked. */
  #fullUntil = 0;

  constructor(clock: Clock, limit: AttemptLimit, most = MOST) {
    this.#clock = clock;
    this.limit = limit;
    this.#most = most;
  }

  /**
   * Counts a failure.
   * @returns 0 if the failure was counted, or the milliseconds for which no new key can be counted
   */
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

  /**
   * Counts a failure. Call it before the attempt is tried, so that concurrent attempts cannot all pass.
   * @throws Refusal with the seconds to wait if the key has reached the limit, or cannot be counted
   * @param reason reason of the refusal for the log
   */
  admit(key: string, reason: string): void {
    const wait = this.waitMs(key) || this.add(key);
    if (wait > 0)
      throw new Refusal('too many login attempts', reason, { retryAfter: retryAfterSeconds(wait) });
  }

  /** @returns 0 if the key has not reached the limit; otherwise the milliseconds until the window of the key ends */
  waitMs(key: string): number {
    const now = this.#clock.now();
    const window = this.#current(key, now);
    return window === undefined || window.count < this.limit.attempts ? 0 : window.endsAt - now;
  }

  /**
   * Subtracts one failure. Callers count each attempt as a failure before they try it, and call this method if the
   * attempt turns out not to be a failure.
   */
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

  /**
   * @returns whether another window can be stored. If the map is full, removes expired windows, and then windows below
   * the limit until a quarter of the map is free, if possible, so that the search is not repeated for every new key
   */
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
