import type { SignInAttempts, Stores } from '@svc/auth-core';
import { networkOfAddress } from '../clients/client-network.ts';

/** Of each account, so that nobody who signs in from many addresses pushes out those of others. */
const ADDRESSES_OF_EACH = 20;

/**
 * Counters and familiar addresses do not survive a restart. The audit trail has the latest sign-ins, so an attack that
 * continues across the restart does not lock their owners out.
 */
export function recallAddresses(attempts: SignInAttempts, { audit, accounts }: Stores): void {
  // The newest last: where memory is short, the first are forgotten.
  for (const { accountId, address } of audit.pastSignIns(ADDRESSES_OF_EACH).reverse()) {
    const account = accounts.byId(accountId);
    if (account !== undefined) attempts.recognise(account.email, networkOfAddress(address));
  }
}
