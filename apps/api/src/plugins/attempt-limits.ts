import { type Attempts, Refusal, retryAfterSeconds, type SignInAttempts } from '@svc/auth-core';
import type { ErrorCode } from '@svc/contract';
import type { FastifyInstance, FastifyRequest, onRequestHookHandler } from 'fastify';
import { networkOfAddress } from '../clients/client-network.ts';

/** Limit on the number of attempts on a route. Routes that get the same `attempts` share a counter. */
interface AttemptLimit {
  readonly attempts: Attempts;
  /** Error code of the refusal. */
  readonly code: ErrorCode;
  /** Returns the key under which the attempts of a request are counted, such as the network of its address. */
  readonly keyOf: (request: FastifyRequest) => string;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Limit on the number of attempts on the route. */
    rateLimit?: AttemptLimit;
  }
}

/**
 * Limits the attempts on routes that check a secret, such as a password or a reset link. The limit is a hook of the
 * route, which runs after the guard and before the body is read, so malformed bodies count as attempts. Call this
 * before routes are added.
 */
export function limitAttempts(api: FastifyInstance): void {
  api.addHook('onRoute', (route) => {
    const limit = route.config?.rateLimit;
    if (limit === undefined) return;
    const count: onRequestHookHandler = (request, _reply, done) => {
      countAttempt(limit, request);
      done();
    };
    route.onRequest = [...[route.onRequest ?? []].flat(), count];
  });
}

function countAttempt({ attempts, code, keyOf }: AttemptLimit, request: FastifyRequest): void {
  const { count, endsInMs } = attempts.add(keyOf(request));
  if (count > attempts.limit.attempts)
    throw new Refusal(code, code, { retryAfter: retryAfterSeconds(endsInMs) });
}

/** @returns the `config.rateLimit` of a route. Routes that get the same `attempts` share a counter. */
export function limitedBy(
  attempts: Attempts,
  code: ErrorCode,
  keyOf: (request: FastifyRequest) => string,
): AttemptLimit {
  return { attempts, code, keyOf };
}

/**
 * @returns the `config.rateLimit` of a route whose requests count as sign-in attempts. They share one counter with
 * `POST /auth/login` (specification 5.9.3, contract 10).
 */
export function limitedAsSignIn({
  signInAttempts,
}: {
  readonly signInAttempts: Pick<SignInAttempts, 'byAddress'>;
}): AttemptLimit {
  return limitedBy(signInAttempts.byAddress, 'too many login attempts', networkOf);
}

/** @returns the network of the client's address, by which attempts are counted (specification 5.9.3) */
export function networkOf(request: Pick<FastifyRequest, 'from'>): string {
  return networkOfAddress(request.from.address);
}
