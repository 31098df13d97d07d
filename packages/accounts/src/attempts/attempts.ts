import type { Clock } from '@svc/auth-core';
import { lruCache } from '@svc/module';
import type { AttemptLimit } from './attempt-limit.ts';

/**
 * Maximum number of counters. Beyond it, the least recently used counter is dropped. Otherwise clients with many
 * addresses could fill the memory.
 */
const MOST = 20_000;

interface Window {
  count: number;
  readonly since: number;
}

/**
 * Counts attempts by key, such as an address, within a window that begins with the first attempt (specification 5.9.3,
 * 5.10.5).
 */
export class Attempts {
  readonly limit: AttemptLimit;
  readonly #clock: Clock;
  readonly #windows = lruCache<Window>(MOST);

  constructor(clock: Clock, limit: AttemptLimit) {
    this.#clock = clock;
    this.limit = limit;
  }

  /**
   * Counts an attempt.
   * @returns the new count and the time until the window ends
   */
  add(key: string): { count: number; endsInMs: number } {
    const window = this.#current(key) ?? { count: 0, since: this.#clock.now() };
    window.count += 1;
    this.#windows.set(key, window);
    return { count: window.count, endsInMs: this.#endsIn(window) };
  }

  /** @returns milliseconds until another attempt is allowed, or 0 if it is allowed now */
  waitMs(key: string): number {
    const window = this.#current(key);
    return window === undefined || window.count < this.limit.attempts ? 0 : this.#endsIn(window);
  }

  /** Subtracts one attempt, which `add` counted before it turned out that it should not count. */
  takeBack(key: string): void {
    const window = this.#current(key);
    if (window === undefined) return;
    window.count -= 1;
    if (window.count <= 0) this.#windows.delete(key);
  }

  reset(key: string): void {
    this.#windows.delete(key);
  }

  #current(key: string): Window | undefined {
    const window = this.#windows.get(key);
    return window !== undefined && this.#endsIn(window) > 0 ? window : undefined;
  }

  #endsIn({ since }: Window): number {
    return since + this.limit.windowMs - this.#clock.now();
  }
}

/** @returns the time in whole seconds, at least 1, for the header `Retry-After` */
export function retryAfterSeconds(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1000));
}
