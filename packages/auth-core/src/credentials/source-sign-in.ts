import type { Account, Caller } from '../principal.ts';
import type { Claims } from '../tokens/claims.ts';

/*
 * Tokens whose chain of mintings began at a dashboard sign-in end with the sign-ins of their account when its password
 * is set anew, save those of the sign-in that changed it (specification 5.10.4, contract 4). The epoch stops them all
 * at once, also those of sign-ins that were over before; the account names the one that is spared.
 */

/** What a token minted with this credential says of its sign-in; nothing, when it began at a key. */
export function sourceClaims({ credential, account }: Caller): Pick<Claims, 'sie' | 'sign_in'> {
  const { sourceSignIn } = credential;
  if (sourceSignIn === null) return {};
  return { sie: account.signInEpoch, ...(sourceSignIn === '' ? {} : { sign_in: sourceSignIn }) };
}

/** The sign-in a token was minted from, for `Credential.sourceSignIn`; null: from a key. */
export function sourceSignInOf({ sie, sign_in }: Claims): string | null {
  return sie === undefined ? null : (sign_in ?? '');
}

export function fitsSignInEpoch({ sie, sign_in }: Claims, account: Account): boolean {
  return sie === undefined || account.signInEpoch === sie || isSpared(sign_in, account);
}

/** The same for a caller proven before, with the account as it is now. */
export function keepsSignInEpoch({ credential, account: then }: Caller, account: Account): boolean {
  const { sourceSignIn } = credential;
  return sourceSignIn === null || account.signInEpoch === then.signInEpoch || isSpared(sourceSignIn, account);
}

function isSpared(signIn: string | undefined, { sparedSignIn }: Account): boolean {
  return sparedSignIn !== null && sparedSignIn === signIn;
}
