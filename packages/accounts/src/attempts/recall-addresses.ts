import type { AccountStores } from '../ports/stores.ts';
import type { SignInAttempts } from './sign-in-attempts.ts';

/**
 * Maximum number of IP addresses that are restored for one account. All accounts share one list of limited length, and
 * without this limit an account with many addresses would push the addresses of other accounts out of it.
 */
const ADDRESSES_OF_EACH = 20;

/**
 * Restores for each account the addresses from which it has signed in before. While an account is under attack, it
 * accepts sign-ins only from these addresses. They are kept in memory only, so after a restart they are read from the
 * audit trail. Otherwise an attack that continues after the restart would lock out the owners of the accounts.
 * @param networkOf returns the network of an address, by which sign-ins are counted
 */
export function recallAddresses(
  attempts: SignInAttempts,
  { audit, accounts }: AccountStores,
  networkOf: (address: string) => string,
): void {
  // Add the newest sign-ins last: `attempts` drops the oldest entries when it is full.
  for (const { accountId, address } of audit.pastSignIns(ADDRESSES_OF_EACH).reverse()) {
    const account = accounts.byId(accountId);
    if (account !== undefined) attempts.recognise(account.email, networkOf(address));
  }
}
