import type { Random } from '@svc/auth-core';

const SECOND_MS = 1000;
const HOUR_MS = 60 * 60 * SECOND_MS;
const FIRST_MS = 5 * SECOND_MS;
const FACTOR = 4;
const LONGEST_MS = HOUR_MS;
const GIVE_UP_MS = 24 * HOUR_MS;
/** Of the delay, either way: receivers that come back are not met by everything at once. */
const JITTER = 0.2;

/**
 * When a delivery is tried again: about 5, 20, 80, 320 and 1280 seconds after a failure, then every hour. Null: a day
 * after the event it is given up. `failures`: tries that failed, this one included.
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
