import { Refusal } from '../errors.ts';
import type { RateLimitResult } from './rate-limiter.ts';

/** A request beyond an allowance; its answer has the headers of that allowance (specification 8.1.3). */
export class RateLimitExceeded extends Refusal {
  readonly limit: RateLimitResult;

  constructor(limit: RateLimitResult, reason = 'rate limit exceeded') {
    const { category, retryAfter } = limit;
    super('rate limit exceeded', reason, { category, retryAfter });
    this.limit = limit;
  }
}
