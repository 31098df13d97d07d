import type { Account, Caller } from '../principal.ts';
import type { Claims } from '../tokens/claims.ts';

/*
 * A new password ends the tokens that were minted from a dashboard sign-in, directly or through other tokens
 * (specification 5.10.4, contract 4). Each of these tokens contains the value that the counter `Account.signInEpoch`
 * had when the token was minted. A new password increments the counter, and tokens with an earlier value are refused.
 * Tokens of the sign-in that changed the password are exempt: they contain the id of this sign-in, and
 * `Account.sparedSignIn` stores the same id.
 */

/**
 * @returns the claims `sie` and `sign_in` for a new token. They name the dashboard sign-in at the start of the chain of
 * credentials from which the token is minted. No claims if the chain starts with a key.
 */
export function sourceClaims({ credential, account }: Caller): Pick<Claims, 'sie' | 'sign_in'> {
  const { sourceSignIn } = credential;
  if (sourceSignIn === null) return {};
  return { sie: account.signInEpoch, ...(sourceSignIn === '' ? {} : { sign_in: sourceSignIn }) };
}

/**
 * @returns the id of the sign-in that a token was minted from, as in `Credential.sourceSignIn`: an empty string if the
 * token does not name the sign-in, and null if the token was minted from a key
 */
export function sourceSignInOf({ sie, sign_in }: Claims): string | null {
  return sie === undefined ? null : (sign_in ?? '');
}

export function fitsSignInEpoch({ sie, sign_in }: Claims, account: Account): boolean {
  return sie === undefined || account.signInEpoch === sie || isSpared(sign_in, account);
}

/**
 * @returns false if a new password has ended the caller's credential since the caller was verified
 * @param account current state of the caller's account
 */
export function keepsSignInEpoch({ credential, account: then }: Caller, account: Account): boolean {
  const { sourceSignIn } = credential;
  return sourceSignIn === null || account.signInEpoch === then.signInEpoch || isSpared(sourceSignIn, account);
}

function isSpared(signIn: string | undefined, { sparedSignIn }: Account): boolean {
  return sparedSignIn !== null && sparedSignIn === signIn;
}
