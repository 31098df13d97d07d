import { lruCache } from '../lru-cache.ts';
import type { Clock } from '../ports/index.ts';
import type { AttemptLimit } from './attempt-limit.ts';

/** Counters kept; the longest untouched go first, so that memory stays bounded under any flood. */
const MOST = 20_000;

interface Window {
  count: number;
  readonly since: number;
}

/** Attempts by key within a window that begins with the first one (specification 5.9.3, 5.10.5). */
export class Attempts {
  readonly limit: AttemptLimit;
  readonly #clock: Clock;
  readonly #windows = lruCache<Window>(MOST);

  constructor(clock: Clock, limit: AttemptLimit) {
    this.#clock = clock;
    this.limit = limit;
  }

  /** Counts one more; answers how many there are now and the milliseconds until the window ends. */
  add(key: string): { count: number; endsInMs: number } {
    const window = this.#current(key) ?? { count: 0, since: this.#clock.now() };
    window.count += 1;
    this.#windows.set(key, window);
    return { count: window.count, endsInMs: this.#endsIn(window) };
  }

  /** Milliseconds until another attempt is allowed; 0 when it is. */
  waitMs(key: string): number {
    const window = this.#current(key);
    return window === undefined || window.count < this.limit.attempts ? 0 : this.#endsIn(window);
  }

  /** For one that could not be carried out after all. */
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

/** Whole seconds for `Retry-After`. */
export function retryAfterSeconds(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1000));
}
