import type { Account, Caller } from '../principal.ts';
import type { Claims } from '../tokens/claims.ts';

/*
 * Tokens whose chain of mintings began at a dashboard sign-in end with the sign-ins of their account, all at once,
 * when its password is reset (specification 5.10.4).
 */

/** The sign-in a token was minted from, for `Credential.sourceSignIn`; null: from a key. */
export function sourceSignInOf({ sie }: Claims): string | null {
  return sie === undefined ? null : '';
}

export function fitsSignInEpoch({ sie }: Claims, account: Account): boolean {
  return sie === undefined || account.signInEpoch === sie;
}

/** The same for a caller proven before, with the account as it is now. */
export function keepsSignInEpoch({ credential, account: then }: Caller, account: Account): boolean {
  return credential.sourceSignIn === null || account.signInEpoch === then.signInEpoch;
}
