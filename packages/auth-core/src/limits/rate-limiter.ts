import { GenerationalCache } from '../generational-cache.ts';
import type { Clock } from '../ports/index.ts';
import type { Caller } from '../principal.ts';
import { capacityOf, type RateCategory } from './category.ts';
import { takeFrom } from './even-refill.ts';
import { type Admitted, newRateBuckets, type RateBuckets } from './rate-buckets.ts';

/** Minimum number of cached buckets. An evicted bucket comes back full, and the least recently used are nearly full. */
const REMEMBERED = 50_000;

export interface RateLimitResult {
  readonly category: RateCategory;
  readonly capacity: number;
  /** Whole requests left after this one. */
  readonly remaining: number;
  /** Seconds until another request is allowed; 0 if this one is allowed. */
  readonly retryAfter: number;
}

/**
 * Token buckets that refill evenly over a minute (specification 8.1). A key has its own buckets. A user's sign-ins and
 * bearer tokens share buckets. The capacity is read on every request, so a changed limit applies immediately.
 */
export class RateLimiter {
  readonly #clock: Clock;
  readonly #start: number;
  readonly #buckets = new GenerationalCache<string, RateBuckets>(REMEMBERED);
  /** Number of requests beyond the limit. */
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

  /** @returns the buckets of the key or user; they may be cached with the caller while `age` stays the same */
  bucketsOf({ credential, account }: Pick<Caller, 'credential' | 'account'>): RateBuckets {
    const id = credential.rateLimit === null ? account.id : credential.id;
    const known = this.#buckets.get(id);
    if (known !== undefined) return known;
    const rateBuckets = newRateBuckets();
    this.#buckets.set(id, rateBuckets);
    return rateBuckets;
  }

  /** Buckets read at another age may have been evicted, and the key may have new ones. */
  get age(): number {
    return this.#buckets.age;
  }
}
