import { GenerationalCache } from '../generational-cache.ts';
import type { Clock } from '../ports/index.ts';
import { takeFrom } from './even-refill.ts';
import { type Bucket, unused } from './rate-buckets.ts';
import { RateLimitExceeded } from './rate-limit-exceeded.ts';

/** Maximum number of Profile tokens and API keys per account and minute (contract 4). */
const CAPACITY = 300;
/**
 * Minimum number of accounts whose buckets are cached. The bucket of an evicted account is full when it is created
 * again.
 */
const REMEMBERED = 50_000;

/**
 * Limits how many tokens an account creates, with all its credentials together (contract 4): Profile tokens and API
 * keys, or bearer tokens and tickets. Each new token would otherwise bring its own rate limit, so a client could raise
 * its total rate by creating more.
 */
export class TokenMakingLimit {
  readonly #clock: Clock;
  readonly #capacity: number;
  readonly #start: number;
  readonly #buckets = new GenerationalCache<string, Bucket>(REMEMBERED);

  constructor(clock: Clock, capacity = CAPACITY) {
    this.#capacity = capacity;
    this.#clock = clock;
    this.#start = clock.now();
  }

  /**
   * Counts one request for a token or key, even if the request is refused later. Throws `RateLimitExceeded` if the
   * account has made too many such requests.
   */
  take(accountId: string): void {
    const bucket = this.#buckets.getOr(accountId, unused);
    const taken = takeFrom(bucket, this.#capacity, this.#clock.now() - this.#start);
    if (taken.retryAfter === 0) return;
    throw new RateLimitExceeded(
      { category: 'change', capacity: this.#capacity, ...taken },
      'tokens made by the account',
    );
  }
}
