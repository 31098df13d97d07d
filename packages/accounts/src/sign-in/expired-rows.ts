import type { Clock, Log } from '@svc/auth-core';
import { every, type Schedule } from '@svc/module';
import type { AccountStores } from '../ports/stores.ts';

const EVERY_MS = 10 * 60 * 1000;

/**
 * Removes expired rows from the database every ten minutes: sign-ins, password reset links, revocations, and records of
 * used single-use tokens. This only saves space, because expired rows have no effect.
 * @param longestTokenMs maximum lifetime (ms) of a token that was created from a sign-in. The link between a sign-in
 * and its OpenID provider is kept for this time after the sign-in has ended, because a logout at the provider must
 * still end these tokens.
 */
export function removingExpired(
  stores: AccountStores,
  clock: Clock,
  log: Log,
  longestTokenMs: number,
): Schedule {
  const tidy = () => {
    const now = clock.now();
    try {
      stores.transaction((tx) => {
        tx.signIns.removeExpired(now);
        tx.resetLinks.removeExpired(now);
        tx.replay.removeExpired(now);
        tx.identities.removeEnded(now, longestTokenMs);
        tx.revocations.removeExpired(now);
      });
    } catch (error) {
      log.warn('Expired rows could not be removed, trying again later', { cause: String(error) });
    }
  };
  return every(EVERY_MS, tidy);
}
