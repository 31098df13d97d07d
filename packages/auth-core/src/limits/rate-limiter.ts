import { LRUCache } from 'lru-cache';
import type { Clock } from '../ports.ts';
import type { Caller } from '../principal.ts';
import { capacityOf, type RateCategory } from './category.ts';

const MINUTE = 60_000;
/** Buckets kept; a forgotten one comes back full, and the longest unused are nearly full anyway. */
const LONGEST_MEMORY = 100_000;

interface Bucket {
  /** In sixty-thousandths of a request, so that a millisecond refills exactly `capacity`: no rounding error adds up. */
  level: number;
  at: number;
  capacity: number;
}

export interface RateAnswer {
  readonly category: RateCategory;
  readonly capacity: number;
  /** Whole requests left after this one. */
  readonly remaining: number;
  /** Seconds until one more is allowed; 0 when this one is. */
  readonly retryAfter: number;
}

/**
 * Token buckets that refill evenly over a minute (specification 8.1). A key has its own count; a user's sign-ins
 * and bearer tokens share one. The capacity is asked on every request, so a changed limit counts at once.
 */
export class RateLimiter {
  readonly #clock: Clock;
  readonly #buckets = new LRUCache<string, Bucket>({ max: LONGEST_MEMORY });

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  take(caller: Caller, category: RateCategory): RateAnswer {
    const { credential } = caller;
    const isKey = credential.kind === 'key';
    const capacity = capacityOf(category, isKey ? credential.rateLimit : null);
    const bucket = this.#bucketOf(category + (isKey ? credential.id : caller.account.id), capacity);
    const allowed = bucket.level >= MINUTE;
    if (allowed) bucket.level -= MINUTE;
    return {
      category,
      capacity,
      remaining: Math.floor(bucket.level / MINUTE),
      retryAfter: allowed ? 0 : Math.ceil((MINUTE - bucket.level) / (capacity * 1000)),
    };
  }

  #bucketOf(key: string, capacity: number): Bucket {
    const now = this.#clock.now();
    const bucket = this.#buckets.get(key);
    if (bucket === undefined) {
      const fresh = { level: capacity * MINUTE, at: now, capacity };
      this.#buckets.set(key, fresh);
      return fresh;
    }
    if (bucket.capacity !== capacity) {
      bucket.level = Math.floor((bucket.level * capacity) / bucket.capacity);
      bucket.capacity = capacity;
    }
    bucket.level = Math.min(capacity * MINUTE, bucket.level + Math.max(0, now - bucket.at) * capacity);
    bucket.at = now;
    return bucket;
  }
}
