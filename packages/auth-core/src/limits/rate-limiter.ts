import type { Clock } from '../ports.ts';
import type { Caller } from '../principal.ts';
import { Recent } from '../recent.ts';
import { capacityOf, type RateCategory } from './category.ts';

const MINUTE = 60_000;
/** Allowances kept; a forgotten one comes back full, and the longest unused are nearly full anyway. */
const REMEMBERED = 50_000;

interface Bucket {
  /** In sixty-thousandths of a request, so that a millisecond refills exactly `capacity`: no rounding error adds up. */
  level: number;
  at: number;
  /** 0: not used yet. */
  capacity: number;
}

/** What one key, or one user with all their sign-ins and bearer tokens, may still ask for. */
type Allowance = Readonly<Record<RateCategory, Bucket>>;

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
  readonly #allowances = new Recent<string, Allowance>(REMEMBERED);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  take(caller: Caller, category: RateCategory): RateAnswer {
    const { credential } = caller;
    const capacity = capacityOf(category, credential.kind === 'key' ? credential.rateLimit : null);
    const bucket = this.#allowanceOf(caller)[category];
    this.#refill(bucket, capacity);
    const allowed = bucket.level >= MINUTE;
    if (allowed) bucket.level -= MINUTE;
    return {
      category,
      capacity,
      remaining: Math.floor(bucket.level / MINUTE),
      retryAfter: allowed ? 0 : Math.ceil((MINUTE - bucket.level) / (capacity * 1000)),
    };
  }

  #allowanceOf({ credential, account }: Caller): Allowance {
    const id = credential.kind === 'key' ? credential.id : account.id;
    const known = this.#allowances.get(id);
    if (known !== undefined) return known;
    const allowance = { read: unused(), change: unused(), ai: unused() };
    this.#allowances.set(id, allowance);
    return allowance;
  }

  #refill(bucket: Bucket, capacity: number): void {
    const now = this.#clock.now();
    const full = capacity * MINUTE;
    if (bucket.capacity === 0) bucket.level = full;
    else if (bucket.capacity !== capacity) {
      bucket.level = Math.floor((bucket.level * capacity) / bucket.capacity);
    }
    bucket.level = Math.min(full, bucket.level + Math.max(0, now - bucket.at) * capacity);
    bucket.capacity = capacity;
    bucket.at = now;
  }
}

function unused(): Bucket {
  return { level: 0, at: 0, capacity: 0 };
}
