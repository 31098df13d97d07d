import type { RateLimitExceeded } from '@svc/auth-core';
import { HEADERS } from '@svc/contract';
import type { FastifyReply } from 'fastify';

/** Maximum number of cached header texts. When the cache is full, it is cleared. */
const MOST = 100_000;

/** Values of the headers `RateLimit` and `RateLimit-Policy` of the IETF draft. */
interface Texts {
  readonly limit: string;
  readonly policy: string;
}

/**
 * Sets the rate limit headers of the specification (8.1.3), and the headers `RateLimit` and `RateLimit-Policy` of the
 * IETF draft "RateLimit header fields". In `RateLimit`, `t` is the number of seconds until the full allowance is
 * restored, or until one more request is allowed if none is left. The values are cached, because building one takes
 * longer than checking the limit.
 */
export class RateHeaders {
  /** Cached header texts for each rate limit category, by capacity and then by the number of remaining requests. */
  readonly #texts = {
    read: new Map<number, Texts[]>(),
    change: new Map<number, Texts[]>(),
    ai: new Map<number, Texts[]>(),
  };
  #kept = 0;

  set(reply: FastifyReply, answer: RateLimitExceeded['limit']): void {
    const { category, capacity, remaining } = answer;
    const { limit, policy } = this.#textsOf(answer);
    reply.header(HEADERS.rateCategory, category);
    reply.header(HEADERS.rateRemaining, remaining);
    reply.header(HEADERS.rateCapacity, capacity);
    reply.header(HEADERS.rateLimit, limit);
    reply.header(HEADERS.ratePolicy, policy);
  }

  #textsOf(answer: RateLimitExceeded['limit']): Texts {
    const { category, capacity, remaining, retryAfter } = answer;
    // The text of an exceeded limit is not cached, because its waiting time changes every second.
    if (retryAfter > 0) return textsOf(answer);
    const known = this.#texts[category].get(capacity)?.[remaining];
    return known ?? this.#keep(answer);
  }

  #keep(answer: RateLimitExceeded['limit']): Texts {
    const { category, capacity, remaining } = answer;
    if (this.#kept >= MOST) this.#forget();
    this.#kept += 1;
    const texts = textsOf(answer);
    const ofCapacity = this.#texts[category].get(capacity) ?? [];
    ofCapacity[remaining] = texts;
    this.#texts[category].set(capacity, ofCapacity);
    return texts;
  }

  #forget(): void {
    for (const texts of Object.values(this.#texts)) texts.clear();
    this.#kept = 0;
  }
}

function textsOf({ category, capacity, remaining, retryAfter }: RateLimitExceeded['limit']): Texts {
  const reset = retryAfter > 0 ? retryAfter : Math.ceil(((capacity - remaining) * 60) / capacity);
  return {
    limit: `"${category}";r=${remaining};t=${reset}`,
    policy: `"${category}";q=${capacity};w=60`,
  };
}
