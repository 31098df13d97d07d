import { type Attempts, OAuthRefusal, Refusal, retryAfterSeconds } from '@svc/auth-core';
import type { FastifyRequest } from 'fastify';
import { networkOf } from '../../plugins/attempt-limits.ts';

/**
 * Runs `work` and returns its result. Refuses the request with 429 if too many grants from the client's network have
 * been refused with `invalid_grant`. Successful requests do not count, because many CI jobs share one address and a
 * terminal polls every few seconds.
 */
export async function refuseFlood<T>(
  refused: Attempts,
  request: FastifyRequest,
  work: () => T | Promise<T>,
): Promise<T> {
  const network = networkOf(request);
  const wait = refused.waitMs(network);
  if (wait > 0) {
    throw new Refusal('too many login attempts', 'too many refused grants', {
      retryAfter: retryAfterSeconds(wait),
    });
  }
  try {
    return await work();
  } catch (error) {
    if (error instanceof OAuthRefusal && error.code === 'invalid_grant') refused.add(network);
    throw error;
  }
}
