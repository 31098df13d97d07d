import { setTimeout as after } from 'node:timers/promises';
import type { Clock, Log } from '@svc/auth-core';
import type { HubKeys } from '@svc/nodes';
import { causeOf } from '@svc/outbound';
import type { FirstEntrance } from './first-entrance.ts';
import type { ReceivedAccounts } from './received-accounts.ts';

interface FollowOptions {
  readonly first: Pick<FirstEntrance, 'accounts'>;
  readonly accounts: ReceivedAccounts;
  readonly keys: Pick<HubKeys, 'refresh' | 'reload'>;
  readonly clock: Clock;
  readonly log: Log;
  /** Called after each failed request to the first entrance, with the time in ms since its last response. */
  readonly silent: (forMs: number) => void;
}

const RETRY_MS = 1_000;
/**
 * Minimum time in ms between two requests for unknown accounts. Without this limit, a client with a valid token of a
 * deleted account could cause such a request with every command.
 */
const LEARN_EVERY_MS = 1_000;

/**
 * Polls the accounts and signing keys of the first entrance. This server therefore soon
 * refuses an account that was deactivated there or a key that was removed there.
 */
export class FollowAccounts {
  readonly #options: FollowOptions;
  #isStopped = false;
  #isSilent = false;
  /** Time of the last response in ms since 1970; before the first response, the time when this object was created. */
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
   * If this account is unknown, requests all accounts. This is needed because the first entrance (the server with the
   * database) does not report the creation of an account as a change. Rejects if the first entrance does not respond.
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
        if (this.#isSilent) log.info('The first entrance responds again');
        this.#isSilent = false;
      } catch (error) {
        if (this.#isStopped) return;
        if (!this.#isSilent) log.error('The first entrance does not respond', { cause: causeOf(error) });
        this.#isSilent = true;
        silent(clock.now() - this.#answeredAt);
        await after(RETRY_MS, undefined, { ref: false });
      }
    }
  }

  async #request(cursor: string | undefined): Promise<void> {
    const { first, accounts, keys } = this.#options;
    const answer = await first.accounts(cursor);
    // Reload the keys too, because the change may be that a signing key was removed.
    if (answer.accounts !== null) await keys.reload();
    accounts.receive(answer);
  }
}
