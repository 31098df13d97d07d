import { GenerationalCache } from '../generational-cache.ts';
import type { Clock } from '../ports/index.ts';
import type { Caller } from '../principal.ts';
import { capacityOf, type RateCategory } from './category.ts';
import { takeFrom } from './even-refill.ts';
import { type Admitted, newRateBuckets, type RateBuckets } from './rate-buckets.ts';

/**
 * Minimum number of cached sets of buckets. Evicted buckets are full when they are created again. This hardly raises
 * the limit, because the least recently used buckets are nearly full already.
 */
const REMEMBERED = 50_000;

export interface RateLimitResult {
  readonly category: RateCategory;
  readonly capacity: number;
  /** Number of whole requests that are left after this request. */
  readonly remaining: number;
  /** Seconds until another request is allowed, or 0 if this request is allowed. */
  readonly retryAfter: number;
}

/**
 * Limits requests with token buckets that refill evenly over a minute (specification 8.1). A key has its own buckets.
 * All sign-ins and bearer tokens of a user share buckets. The capacity is read on every request, so that a changed
 * limit applies immediately.
 */
export class RateLimiter {
  readonly #clock: Clock;
  readonly #start: number;
  readonly #buckets = new GenerationalCache<string, RateBuckets>(REMEMBERED);
  /** Number of refused requests by category. */
  readonly refused: Record<RateCategory, number> = { read: 0, change: 0, ai: 0 };

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#start = clock.now();
  }

  take(caller: Admitted, category: RateCategory): RateLimitResult {
    const capacity = capacityOf(category, caller.credential.rateLimit);
    const bucket = (caller.rateBuckets ?? this.bucketsOf(caller))[category];
    const { remaining, retryAfter } = takeFrom(bucket, capacity, this.#clock.now() - this.#start);
    if (retryAfter > 0) this.refused[category] += 1;
    return { category, capacity, remaining, retryAfter };
  }

  /** @returns the buckets of the API key or user. A caller can cache them until `age` changes */
  bucketsOf({ credential, account }: Pick<Caller, 'credential' | 'account'>): RateBuckets {
    return this.#buckets.getOr(credential.rateLimit === null ? account.id : credential.id, newRateBuckets);
  }

  /**
   * Counter that changes whenever the limiter may have dropped buckets from its own cache. Code that keeps buckets must
   * then read them again with `bucketsOf`. The limiter may have created new buckets for the same key, and requests that
   * are counted in the old buckets would have no effect on the limit.
   */
  get age(): number {
    return this.#buckets.age;
  }
}
