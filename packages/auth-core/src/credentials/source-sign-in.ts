import type { Account, Caller } from '../principal.ts';
import type { Claims } from '../tokens/claims.ts';

/*
 * Tokens that were minted from a dashboard sign-in, directly or through other tokens, stop working when the password of
 * the account is set, except those of the sign-in that changed it (specification 5.10.4, contract 4). Setting the
 * password raises `Account.signInEpoch`, which stops all of these tokens, also those of sign-ins that have already
 * ended. `Account.sparedSignIn` names the sign-in that is exempt.
 */

/**
 * @returns the claims of a new token that name the dashboard sign-in from which it is minted, directly or through other
 * tokens, or no claims if it is minted from a key
 */
export function sourceClaims({ credential, account }: Caller): Pick<Claims, 'sie' | 'sign_in'> {
  const { sourceSignIn } = credential;
  if (sourceSignIn === null) return {};
  return { sie: account.signInEpoch, ...(sourceSignIn === '' ? {} : { sign_in: sourceSignIn }) };
}

/**
 * @returns the id of the sign-in that a token was minted from, as in `Credential.sourceSignIn`: empty if the token does
 * not name the sign-in, and null if the token was minted from a key
 */
export function sourceSignInOf({ sie, sign_in }: Claims): string | null {
  return sie === undefined ? null : (sign_in ?? '');
}

export function fitsSignInEpoch({ sie, sign_in }: Claims, account: Account): boolean {
  return sie === undefined || account.signInEpoch === sie || isSpared(sign_in, account);
}

/**
 * @returns whether the credential of a caller who was verified earlier still works with the current account, whose
 * sign-in epoch may have been raised since
 */
export function keepsSignInEpoch({ credential, account: then }: Caller, account: Account): boolean {
  const { sourceSignIn } = credential;
  return sourceSignIn === null || account.signInEpoch === then.signInEpoch || isSpared(sourceSignIn, account);
}

function isSpared(signIn: string | undefined, { sparedSignIn }: Account): boolean {
  return sparedSignIn !== null && sparedSignIn === signIn;
}
