import { isPublishedPassword } from '../policy/first-password.ts';
import type { AccountChange, StoreTransaction } from '../ports/index.ts';
import type { Account, Caller } from '../principal.ts';

/** An unused temporary password expires after this. */
export const TEMPORARY_PASSWORD_MS = 7 * 24 * 60 * 60 * 1000;

/** Marks a temporary password that was used: it no longer expires, and its owner still has to replace it. */
export const USED_TEMPORARY_PASSWORD = Number.MAX_SAFE_INTEGER;

/** What an account's row says once it has a password its owner chose. */
export function ownPassword(password: string, passwordHash: string): AccountChange {
  return { passwordHash, temporaryPasswordUntil: null, defaultPassword: isPublishedPassword(password) };
}

/**
 * Ends everything the old password could have opened: every sign-in, bearer tokens minted from one (by the epoch),
 * every reset link (specification 5.10.4). Part of the transaction that sets the new password.
 */
export function signOutEverywhere(tx: StoreTransaction, account: Account): void {
  tx.accounts.update(account.id, { signInEpoch: account.signInEpoch + 1, sparedSignIn: null });
  tx.signIns.endAllOf(account.id);
  tx.resetLinks.cancelAllOf(account.id);
}

/**
 * Ends what else the old password opened, when its owner changed it: the other sign-ins with the tokens minted from
 * them, every reset link (specification 5.9.6, contract 4). The sign-in behind this change goes on with what was minted
 * from it, as do keys and Profile tokens.
 */
export function signOutOthers(tx: StoreTransaction, { account, credential }: Caller): void {
  const source = credential.sourceSignIn || null;
  const signInEpoch = account.signInEpoch + 1;
  tx.accounts.update(account.id, { signInEpoch, sparedSignIn: source });
  tx.signIns.endAllOf(account.id, source ?? undefined);
  tx.resetLinks.cancelAllOf(account.id);
}
