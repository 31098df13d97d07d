import { setTimeout as after } from 'node:timers/promises';
import type { AccountStores } from '@svc/accounts';
import {
  type Authenticator,
  type Caller,
  type Clock,
  isLiveRule,
  type Random,
  type TokenSigner,
} from '@svc/auth-core';
import type { ResponseOf, routes } from '@svc/contract';

interface AccountFeedOptions {
  readonly stores: Pick<AccountStores, 'accounts' | 'revocations' | 'trustRules' | 'version'>;
  readonly authenticator: Pick<Authenticator, 'checkStillGood'>;
  readonly signer: Pick<TokenSigner, 'keyRemovals' | 'longestLife'>;
  readonly clock: Clock;
  readonly random: Random;
}

type Answer = ResponseOf<typeof routes.accountsForEntrances>;
type FeedAccount = NonNullable<Answer['accounts']>[number];

const WAIT_MS = 8_000;
const LOOK_MS = 200;
/** Maximum number of requests that wait for a change of the accounts. Further requests get a response immediately. */
const MOST_WAITING = 64;

/**
 * Sends all accounts to further entrances, which are servers without a database in front of the same grid. They get the
 * accounts as soon as an account, an access key or a signing key has changed.
 */
export class AccountFeed {
  readonly #options: AccountFeedOptions;
  /**
   * Random id of this server start, which is the first part of the cursor. Without it, a cursor from before a restart
   * could equal a new one, because the version of the stores, the second part, begins at 0 after each start.
   */
  readonly #boot: string;
  readonly #stopped = new AbortController();
  #waiting = 0;

  constructor(options: AccountFeedOptions) {
    this.#options = options;
    this.#boot = options.random.uuid().slice(0, 8);
  }

  /**
   * Waits up to 8 s until the accounts differ from those that the caller already has, then checks the caller's
   * credential again.
   * @param known cursor of the response that the caller received last
   * @param gone signal that the client has disconnected
   * @returns all accounts, or null as `accounts` if nothing has changed
   * @throws Unavailable if the credential cannot be checked, and Refusal if it is no longer valid
   */
  async next(caller: Caller, known: unknown, gone: AbortSignal): Promise<Answer> {
    const { clock, authenticator } = this.#options;
    if (this.#waiting < MOST_WAITING) {
      this.#waiting++;
      try {
        const until = clock.now() + WAIT_MS;
        const isOver = () => gone.aborted || this.#stopped.signal.aborted || clock.now() >= until;
        while (this.#cursor() === known && !isOver()) await after(LOOK_MS);
      } finally {
        this.#waiting--;
      }
    }
    authenticator.checkStillGood(caller);
    const cursor = this.#cursor();
    if (cursor === known) return { cursor, accounts: null, revoked: [] };
    const { stores, signer } = this.#options;
    const { trustRules, revocations } = stores;
    const live = trustRules.list().filter(({ id }) => isLiveRule(trustRules, id));
    return {
      cursor,
      accounts: this.#accounts(),
      trustRules: live.map(({ id }) => id),
      revoked: revocations.all(),
      longestLife: signer.longestLife,
    };
  }

  stop(): void {
    this.#stopped.abort();
  }

  #cursor(): string {
    const { stores, signer } = this.#options;
    return `${this.#boot}.${stores.version()}.${signer.keyRemovals}`;
  }

  #accounts(): FeedAccount[] {
    const all = this.#options.stores.accounts.list();
    return all.map(({ id, role, status, accessKey, signInEpoch, sparedSignIn }) => ({
      id,
      role,
      status,
      accessKey,
      signInEpoch,
      sparedSignIn,
    }));
  }
}
