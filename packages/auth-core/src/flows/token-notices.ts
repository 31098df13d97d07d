import { type NoticeDays, nextNoticeAt, noticeStep } from '../policy/token-notices.ts';
import type { ApiToken, Clock, Stores } from '../ports/index.ts';
import type { Account } from '../principal.ts';

/** A key or token that ends soon, with the step of the notice that its owner gets. */
export interface ExpiringToken {
  readonly token: ApiToken & { readonly expiresAt: number };
  readonly owner: Account;
  readonly days: NoticeDays;
}

/**
 * Finds the keys and tokens about which the owner gets a notice, because they end in 30, 7 or 1 days (contract 10.6). The next step
 * of each token is stored before the notice is returned, so that no restart and no crash repeats one. A crash right
 * after the transaction loses the notice; the next step still follows.
 */
export class TokenNotices {
  readonly #stores: Stores;
  readonly #clock: Clock;

  constructor({ stores, clock }: { readonly stores: Stores; readonly clock: Clock }) {
    this.#stores = stores;
    this.#clock = clock;
  }

  /**
   * Takes at most `most` tokens whose next step is due. The result can be shorter although more are due, because
   * expired tokens and tokens of accounts that cannot use them get no notice.
   */
  take(most: number): ExpiringToken[] {
    const now = this.#clock.now();
    // Almost every call ends here, without a transaction.
    if (this.#stores.apiTokens.withNoticeDue(now, 1).length === 0) return [];
    return this.#stores.transaction((tx) => {
      const due = tx.apiTokens.withNoticeDue(now, most);
      for (const { id, expiresAt } of due) tx.apiTokens.setNextNotice(id, nextNoticeAt(expiresAt, now));
      return due.flatMap((token) => this.#noticeOf(token, now));
    });
  }

  #noticeOf(token: ApiToken, now: number): ExpiringToken[] {
    const { expiresAt, ownerId } = token;
    const owner = this.#stores.accounts.byId(ownerId);
    const days = expiresAt === null ? null : noticeStep(expiresAt, now);
    if (expiresAt === null || days === null || owner?.status !== 'Active') return [];
    return [{ token: { ...token, expiresAt }, owner, days }];
  }
}
