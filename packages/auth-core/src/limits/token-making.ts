import { GenerationalCache } from '../generational-cache.ts';
import type { Clock } from '../ports/index.ts';
import { takeFrom } from './even-refill.ts';
import { type Bucket, unused } from './rate-buckets.ts';
import { RateLimitExceeded } from './rate-limit-exceeded.ts';

/** Profile tokens and API keys together, per account and minute (contract 4). */
const CAPACITY = 300;
/** Accounts kept. An evicted one comes back with its full allowance. */
const REMEMBERED = 50_000;

/**
 * How many Profile tokens and API keys an account may ask for, with all its credentials together (contract 4). Every
 * key has an allowance of its own, so without this limit a token that makes tokens would multiply the allowance.
 */
export class TokenMakingLimit {
  readonly #clock: Clock;
  readonly #start: number;
  readonly #buckets = new GenerationalCache<string, Bucket>(REMEMBERED);

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#start = clock.now();
  }

  /** Counts one request to make a token, also if it is then refused. Throws beyond the allowance. */
  take(accountId: string): void {
    const taken = takeFrom(this.#bucketOf(accountId), CAPACITY, this.#clock.now() - this.#start);
    if (taken.retryAfter === 0) return;
    throw new RateLimitExceeded(
      { category: 'change', capacity: CAPACITY, ...taken },
      'tokens and keys made by the account',
    );
  }

  #bucketOf(accountId: string): Bucket {
    const known = this.#buckets.get(accountId);
    if (known !== undefined) return known;
    const bucket = unused();
    this.#buckets.set(accountId, bucket);
    return bucket;
  }
}
