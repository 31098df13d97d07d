import type { Random } from '@svc/auth-core';

const SECOND_MS = 1000;
const HOUR_MS = 60 * 60 * SECOND_MS;
const FIRST_MS = 5 * SECOND_MS;
const FACTOR = 4;
const LONGEST_MS = HOUR_MS;
const GIVE_UP_MS = 24 * HOUR_MS;
/**
 * Maximum random change of a delay, as a share of the delay. Without a random change, a receiver that was down could
 * get all waiting deliveries at the same moment.
 */
const JITTER = 0.2;

/**
 * Computes when to try a delivery again: about 5, 20, 80, 320 and 1280 seconds after a failure, then every hour, for
 * one day. `failures` includes the latest failure.
 * @returns the time of the next try (ms since 1970), or null if there is no further try
 */
export function retryAt(
  delivery: { readonly createdAt: number; readonly failures: number },
  now: number,
  random: Random,
): number | null {
  const delay = Math.min(LONGEST_MS, FIRST_MS * FACTOR ** (delivery.failures - 1));
  const chance = ((random.bytes(1)[0] ?? 0) / 255) * 2 - 1;
  const at = Math.round(now + delay * (1 + chance * JITTER));
  return at - delivery.createdAt > GIVE_UP_MS ? null : at;
}
