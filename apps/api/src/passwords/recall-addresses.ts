import type { SignInAttempts, Stores } from '@svc/auth-core';
import { networkOfAddress } from '../clients/client-network.ts';

/**
 * Maximum number of addresses of each account, so that one account with many addresses does not displace those of
 * others.
 */
const ADDRESSES_OF_EACH = 20;

/**
 * Restores familiar addresses, because they and the counters do not survive a restart. The audit trail has the latest
 * sign-ins, so that an attack that continues across the restart does not lock their owners out.
 */
export function recallAddresses(attempts: SignInAttempts, { audit, accounts }: Stores): void {
  // The newest are added last, because the first are dropped when there are too many.
  for (const { accountId, address } of audit.pastSignIns(ADDRESSES_OF_EACH).reverse()) {
    const account = accounts.byId(accountId);
    if (account !== undefined) attempts.recognise(account.email, networkOfAddress(address));
  }
}
