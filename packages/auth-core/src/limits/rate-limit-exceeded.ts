import { Refusal } from '../errors.ts';
import type { RateLimitResult } from './rate-limiter.ts';

/** Error for a request beyond a rate limit. The response has the headers of that limit (specification 8.1.3). */
export class RateLimitExceeded extends Refusal {
  readonly limit: RateLimitResult;

  constructor(limit: RateLimitResult, reason = 'rate limit exceeded') {
    const { category, retryAfter } = limit;
    super('rate limit exceeded', reason, { category, retryAfter });
    this.limit = limit;
  }
}
