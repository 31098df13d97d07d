import type { Account, Caller } from '@svc/auth-core';
import type { AccountTransaction } from '../ports/stores.ts';
import { isPublishedPassword } from './first-password.ts';

/** Time (ms) after which a temporary password expires if it is not used. */
export const TEMPORARY_PASSWORD_MS = 7 * 24 * 60 * 60 * 1000;

/**
 * Value of `temporaryPasswordUntil` after the temporary password was used. The password then no longer expires, but its
 * owner still has to replace it.
 */
export const USED_TEMPORARY_PASSWORD = Number.MAX_SAFE_INTEGER;

/**
 * @returns when the temporary password of an account expires (ms since 1970); null if it no longer expires, because its
 * owner has signed in with it but not replaced it; undefined if the password is not temporary
 */
export function temporaryPasswordEnd({ temporaryPasswordUntil: until }: Account): number | null | undefined {
  return until === null ? undefined : until === USED_TEMPORARY_PASSWORD ? null : until;
}

/**
 * @returns the changes to an account whose owner has chosen a password: the new hash, that the password is not temporary,
 * and whether the documentation shows it
 */
export function ownPassword(
  password: string,
  passwordHash: string,
): Parameters<AccountTransaction['accounts']['update']>[1] {
  return { passwordHash, temporaryPasswordUntil: null, defaultPassword: isPublishedPassword(password) };
}

/**
 * Ends everything that someone with the old password could have opened: every sign-in, every bearer token minted from a
 * sign-in, and every reset link (specification 5.10.4). Bearer tokens end because `signInEpoch` is incremented. Call
 * this function in the transaction that sets the new password.
 */
export function signOutEverywhere(tx: AccountTransaction, account: Account): void {
  tx.accounts.update(account.id, { signInEpoch: account.signInEpoch + 1, sparedSignIn: null });
  tx.signIns.endAllOf(account.id);
  tx.resetLinks.cancelAllOf(account.id);
}

/**
 * Ends the other sign-ins, the tokens minted from them, and every reset link when an owner changes the password
 * (specification 5.9.6, contract 4). The sign-in of this request and the tokens minted from it stay valid, and so do
 * keys and Profile tokens.
 */
export function signOutOthers(tx: AccountTransaction, { account, credential }: Caller): void {
  const source = credential.sourceSignIn || null;
  const signInEpoch = account.signInEpoch + 1;
  tx.accounts.update(account.id, { signInEpoch, sparedSignIn: source });
  tx.signIns.endAllOf(account.id, source ?? undefined);
  tx.resetLinks.cancelAllOf(account.id);
}
