import { setTimeout as after } from 'node:timers/promises';
import type { Clock, HubKeys, Log, ToldAccounts } from '@svc/auth-core';
import { causeOf } from '@svc/outbound';
import type { FirstEntrance } from './first-entrance.ts';

interface FollowOptions {
  readonly first: Pick<FirstEntrance, 'accounts'>;
  readonly accounts: ToldAccounts;
  readonly keys: Pick<HubKeys, 'refresh' | 'reload'>;
  readonly clock: Clock;
  readonly log: Log;
  /** It was asked again, and has not answered for so long (ms). */
  readonly silent: (forMs: number) => void;
}

const RETRY_MS = 1_000;
/** An account that is unknown is asked for no sooner than this after the last time: tokens outlive accounts. */
const LEARN_EVERY_MS = 1_000;

/** Hears from the first entrance of accounts and keys that end, as soon as they do. */
export class FollowAccounts {
  readonly #options: FollowOptions;
  #isStopped = false;
  #isSilent = false;
  /** When it answered last, or was to be asked first (ms). */
  #heardAt: number;
  #learning: Promise<void> | undefined;
  #learntAt: number | null = null;

  constructor(options: FollowOptions) {
    this.#options = options;
    this.#heardAt = options.clock.now();
  }

  start(): void {
    void this.#follow();
  }

  stop(): void {
    this.#isStopped = true;
  }

  /** An account made since the last answer is asked for: a new one is no change. Rejects when that cannot be. */
  async learn(accountId: string): Promise<void> {
    const { accounts, clock } = this.#options;
    if (accounts.byId(accountId) !== undefined) return;
    const since = this.#learntAt === null ? LEARN_EVERY_MS : clock.now() - this.#learntAt;
    const wait = since >= 0 ? Math.max(0, LEARN_EVERY_MS - since) : 0;
    this.#learning ??= after(wait)
      .then(() => this.#ask(undefined))
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
        await this.#ask(accounts.cursor);
        this.#heardAt = clock.now();
        if (this.#isSilent) log.info('The first entrance answers again');
        this.#isSilent = false;
      } catch (error) {
        if (this.#isStopped) return;
        if (!this.#isSilent) log.error('The first entrance does not answer', { cause: causeOf(error) });
        this.#isSilent = true;
        silent(clock.now() - this.#heardAt);
        await after(RETRY_MS, undefined, { ref: false });
      }
    }
  }

  async #ask(known: string | undefined): Promise<void> {
    const { first, accounts, keys } = this.#options;
    const told = await first.accounts(known);
    // A signing key may have been taken away.
    if (told.accounts !== null) await keys.reload();
    accounts.hear(told.cursor, told.accounts);
  }
}
