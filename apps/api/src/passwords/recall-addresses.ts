import type { SignInAttempts, Stores } from '@svc/auth-core';
import { networkOfAddress } from '../client-network.ts';

/** Bounded, so that the start does not grow with the trail. */
const ROWS = 2000;

/**
 * Counters and familiar addresses do not survive a restart. The audit trail has the latest sign-ins, so an attack that
 * continues across the restart does not lock their owners out.
 */
export function recallAddresses(attempts: SignInAttempts, { audit, accounts }: Stores): void {
  for (const { event, actor, address } of audit.page(null, ROWS)) {
    if (event !== 'authn_login_success' || actor === null || address === null) continue;
    const account = accounts.byId(actor);
    if (account !== undefined) attempts.recognise(account.email, networkOfAddress(address));
  }
}
