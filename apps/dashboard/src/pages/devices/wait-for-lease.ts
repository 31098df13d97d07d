import { ApiError } from '../../api/api-error.ts';
import type { Answer } from '../../api/client.ts';

/** Longest time, in seconds, for which one request waits in the queue (contract 13). */
export const QUEUE_SECONDS = 60;

/**
 * A refusal within this time, in milliseconds, did not come from waiting: the queue is full, or the account waits too
 * often.
 */
const AT_ONCE_MS = 5_000;

/**
 * Asks for a lease again and again, because one request waits for a minute at most.
 * @param create sends one request that waits in the queue
 * @returns the lease. Rejects with the refusal if the phone can no longer be leased, or if waiting is not possible.
 */
export async function waitForLease(
  create: () => Promise<Answer<'createLease'>>,
  now: () => number = Date.now,
): Promise<Answer<'createLease'>> {
  for (;;) {
    const asked = now();
    try {
      return await create();
    } catch (error) {
      const hasWaited =
        error instanceof ApiError && error.code === 'device_busy' && now() - asked >= AT_ONCE_MS;
      if (!hasWaited) throw error;
    }
  }
}
