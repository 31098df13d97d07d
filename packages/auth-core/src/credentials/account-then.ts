import type { Account } from '../principal.ts';
import { secretHash } from '../secrets/opaque.ts';

/** Returns the account with the sign-in epoch and the access key that it had when a caller was stored. */
export function accountThen(
  account: Account,
  { signInEpoch, accessKeyHash }: { readonly signInEpoch: number; readonly accessKeyHash: string },
): Account {
  const isSameKey = secretHash(account.accessKey) === accessKeyHash;
  return { ...account, signInEpoch, accessKey: isSameKey ? account.accessKey : '' };
}
