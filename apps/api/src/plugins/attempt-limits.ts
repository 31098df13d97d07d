import rateLimit, { type FastifyRateLimitStore, type RateLimitOptions } from '@fastify/rate-limit';
import { networkOf, retryAfterSeconds, type SignInAttempts } from '@svc/accounts';
import { Refusal } from '@svc/auth-core';
import type { ErrorCode } from '@svc/contract';
import type { CountedAttempts } from '@svc/module';
import type { FastifyInstance, FastifyRequest } from 'fastify';

interface AttemptLimitOptions extends RateLimitOptions {
  readonly attempts: CountedAttempts;
}

const NO_HEADERS = {
  'x-ratelimit-limit': false,
  'x-ratelimit-remaining': false,
  'x-ratelimit-reset': false,
};

/**
 * Limits the attempts on routes that check a secret, such as a password or a reset link. The limit is a hook of
 * @fastify/rate-limit on the route, which runs after the guard and before the body is read, so malformed bodies count
 * as attempts. Call this before routes are added.
 */
export async function limitAttempts(api: FastifyInstance): Promise<void> {
  await api.register(rateLimit, {
    global: false,
    store: AttemptStore,
    addHeaders: { ...NO_HEADERS, 'retry-after': false },
    addHeadersOnExceeding: NO_HEADERS,
  });
}

/** @returns the `config.rateLimit` of a route. Routes that get the same `attempts` share a counter. */
export function limitedBy(
  attempts: CountedAttempts,
  word: ErrorCode,
  keyGenerator: (request: FastifyRequest) => string,
): AttemptLimitOptions {
  return {
    attempts,
    keyGenerator,
    max: attempts.limit.attempts,
    timeWindow: attempts.limit.windowMs,
    errorResponseBuilder: (_request, { ttl }) =>
      new Refusal(word, word, { retryAfter: retryAfterSeconds(ttl) }),
  };
}

/**
 * @returns the `config.rateLimit` of a route whose requests count as sign-in attempts. They share one counter with
 * `POST /auth/login` (specification 5.9.3, contract 10).
 */
export function limitedAsSignIn({
  signInAttempts,
}: {
  readonly signInAttempts: Pick<SignInAttempts, 'byAddress'>;
}): AttemptLimitOptions {
  return limitedBy(signInAttempts.byAddress, 'too many login attempts', networkOf);
}

/**
 * Counts attempts in the `Attempts` of a route. The stores of @fastify/rate-limit are not used: they read the system
 * clock, and a successful sign-in could not reset their counters (specification 5.9.3).
 */
class AttemptStore implements FastifyRateLimitStore {
  readonly #attempts: CountedAttempts | undefined;

  constructor(_options: object, attempts?: CountedAttempts) {
    this.#attempts = attempts;
  }

  incr(
    key: string,
    callback: (error: Error | null, result?: { current: number; ttl: number }) => void,
  ): void {
    if (this.#attempts === undefined) throw new Error('a route with a rate limit must name its counter');
    const { count, endsInMs } = this.#attempts.add(key);
    callback(null, { current: count, ttl: endsInMs });
  }

  child(options: object): AttemptStore {
    return new AttemptStore(options, (options as AttemptLimitOptions).attempts);
  }
}
