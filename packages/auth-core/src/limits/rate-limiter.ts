import type { Clock } from '../ports.ts';
import type { Caller } from '../principal.ts';
import { Recent } from '../recent.ts';
import { capacityOf, type RateCategory } from './category.ts';

const MINUTE = 60_000;
/** Buckets kept of each category; a forgotten one comes back full, and the longest unused are nearly full anyway. */
const REMEMBERED = 50_000;

/** What one key, or one user with all their sign-ins and bearer tokens, may still ask for in one category. */
interface Bucket {
  /** In sixty-thousandths of a request, so that a millisecond refills exactly `capacity`: no rounding error adds up. */
  level: number;
  /** When it was filled up to that, in ms since the start: small numbers stay inside the object. */
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
  readonly #start: number;
  readonly #buckets = {
    read: new Recent<string, Bucket>(REMEMBERED),
    change: new Recent<string, Bucket>(REMEMBERED),
    ai: new Recent<string, Bucket>(REMEMBERED),
  };

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#start = clock.now();
  }

  take(caller: Caller, category: RateCategory): RateAnswer {
    const { credential } = caller;
    const capacity = capacityOf(category, credential.kind === 'key' ? credential.rateLimit : null);
    const bucket = this.#filled(caller, category, capacity);
    const allowed = bucket.level >= MINUTE;
    if (allowed) bucket.level -= MINUTE;
    return {
      category,
      capacity,
      remaining: Math.floor(bucket.level / MINUTE),
      retryAfter: allowed ? 0 : Math.ceil((MINUTE - bucket.level) / (capacity * 1000)),
    };
  }

  /** The caller's bucket as it stands now. */
  #filled({ credential, account }: Caller, category: RateCategory, capacity: number): Bucket {
    const at = this.#clock.now() - this.#start;
    const id = credential.kind === 'key' ? credential.id : account.id;
    const bucket = this.#buckets[category].get(id);
    const full = capacity * MINUTE;
    if (bucket === undefined) {
      const whole = { level: full, at, capacity };
      this.#buckets[category].set(id, whole);
      return whole;
    }
    if (bucket.capacity !== capacity) {
      bucket.level = Math.floor((bucket.level * capacity) / bucket.capacity);
      bucket.capacity = capacity;
    }
    bucket.level = Math.min(full, bucket.level + Math.max(0, at - bucket.at) * capacity);
    bucket.at = at;
    return bucket;
  }
}
