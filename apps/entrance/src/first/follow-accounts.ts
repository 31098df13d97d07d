import { setTimeout as after } from 'node:timers/promises';
import type { Clock, HubKeys, Log } from '@svc/auth-core';
import { causeOf } from '@svc/outbound';
import type { FirstEntrance } from './first-entrance.ts';
import type { ReceivedAccounts } from './received-accounts.ts';

interface FollowOptions {
  readonly first: Pick<FirstEntrance, 'accounts'>;
  readonly accounts: ReceivedAccounts;
  readonly keys: Pick<HubKeys, 'refresh' | 'reload'>;
  readonly clock: Clock;
  readonly log: Log;
  /** Called after each failed request, with the time since the last answer. */
  readonly silent: (forMs: number) => void;
}

const RETRY_MS = 1_000;
/** Minimum time between two requests for unknown accounts, because valid tokens of deleted accounts cause them too. */
const LEARN_EVERY_MS = 1_000;

/** Requests accounts and signing keys from the first entrance again and again, so that ended ones end here too. */
export class FollowAccounts {
  readonly #options: FollowOptions;
  #isStopped = false;
  #isSilent = false;
  /** Time of the last answer, or of the start (ms). */
  #answeredAt: number;
  #learning: Promise<void> | undefined;
  #learntAt: number | null = null;

  constructor(options: FollowOptions) {
    this.#options = options;
    this.#answeredAt = options.clock.now();
  }

  start(): void {
    void this.#follow();
  }

  stop(): void {
    this.#isStopped = true;
  }

  /**
   * Requests the accounts again if this one is unknown, because the feed does not report a new account as a change.
   * Rejects if the first entrance does not answer.
   */
  async learn(accountId: string): Promise<void> {
    const { accounts, clock } = this.#options;
    if (accounts.byId(accountId) !== undefined) return;
    const since = this.#learntAt === null ? LEARN_EVERY_MS : clock.now() - this.#learntAt;
    const wait = since >= 0 ? Math.max(0, LEARN_EVERY_MS - since) : 0;
    this.#learning ??= after(wait)
      .then(() => this.#request(undefined))
      .finally(() => {
        this.#learning = undefined;
        this.#learntAt = clock.now();
      });
    await this.#learning;
  }

  async #follow(): Promise<void> {
    const { accounts, keys, clock, log, silent } = this.#options;
    while (!this.#isStopped) {
      try {
        await keys.refresh();
        await this.#request(accounts.cursor);
        this.#answeredAt = clock.now();
        if (this.#isSilent) log.info('The first entrance answers again');
        this.#isSilent = false;
      } catch (error) {
        if (this.#isStopped) return;
        if (!this.#isSilent) log.error('The first entrance does not answer', { cause: causeOf(error) });
        this.#isSilent = true;
        silent(clock.now() - this.#answeredAt);
        await after(RETRY_MS, undefined, { ref: false });
      }
    }
  }

  async #request(cursor: string | undefined): Promise<void> {
    const { first, accounts, keys } = this.#options;
    const answer = await first.accounts(cursor);
    // The change may be a signing key that was dropped.
    if (answer.accounts !== null) await keys.reload();
    accounts.receive(answer.cursor, answer.accounts);
  }
}
