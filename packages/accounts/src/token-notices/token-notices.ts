import type { Account, ApiToken, Clock } from '@svc/auth-core';
import type { AccountStores } from '../ports/stores.ts';
import { type NoticeDays, nextNoticeAt, noticeStep } from './notice-times.ts';

/** A key or token that expires soon, its owner, and the number of days that the expiry notice states. */
export interface ExpiringToken {
  readonly token: ApiToken & { readonly expiresAt: number };
  readonly owner: Account;
  readonly days: NoticeDays;
}

/**
 * Returns at most `most` keys and tokens whose owners must be notified because they expire in 30, 7 or 1 days (contract
 * 10.6), and stores the time of the next notice of each. The result can be shorter although more are due, because it
 * leaves out expired tokens and tokens whose owner is not Active. The time of the next notice is stored before the
 * current notice is sent, so that no notice is sent twice after a restart. If the server crashes in between, the current
 * notice is lost, but the next one is still sent.
 */
export function takeNotices(
  most: number,
  { stores, clock }: { readonly stores: AccountStores; readonly clock: Clock },
): ExpiringToken[] {
  const now = clock.now();
  // Return before a transaction begins, because in almost every call no notice is due.
  if (stores.apiTokens.withNoticeDue(now, 1).length === 0) return [];
  return stores.transaction((tx) => {
    const due = tx.apiTokens.withNoticeDue(now, most);
    for (const { id, expiresAt } of due) tx.apiTokens.setNextNotice(id, nextNoticeAt(expiresAt, now));
    return due.flatMap((token) => noticeOf(token, stores.accounts.byId(token.ownerId), now));
  });
}

function noticeOf(token: ApiToken, owner: Account | undefined, now: number): ExpiringToken[] {
  const { expiresAt } = token;
  const days = expiresAt === null ? null : noticeStep(expiresAt, now);
  if (expiresAt === null || days === null || owner?.status !== 'Active') return [];
  return [{ token: { ...token, expiresAt }, owner, days }];
}
