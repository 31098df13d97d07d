import { type Attempts, OAuthRefusal, retryAfterSeconds, senderNetworkOf } from '@svc/accounts';
import { Refusal } from '@svc/auth-core';
import type { FastifyRequest } from 'fastify';

/**
 * Runs `work` and returns its result. Refuses the request with 429 if too many grants of the sender have been refused
 * with `invalid_grant`, unless `isKnown` is true. Successful requests do not count, because many CI jobs share one
 * address and a terminal polls every few seconds. The sender is that of the connection, so that no client can close the
 * route to others by stating their address.
 */
export async function refuseFlood<T>(
  refused: Attempts,
  request: FastifyRequest,
  { isKnown, work }: { readonly isKnown: boolean; readonly work: () => T | Promise<T> },
): Promise<T> {
  const network = senderNetworkOf(request);
  const wait = isKnown ? 0 : refused.waitMs(network);
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
