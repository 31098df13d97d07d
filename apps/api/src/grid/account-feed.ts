import { setTimeout as after } from 'node:timers/promises';
import type { Authenticator, Caller, Clock, Random, Stores, TokenSigner } from '@svc/auth-core';
import type { ResponseOf, routes } from '@svc/contract';

interface AccountFeedOptions {
  readonly stores: Pick<Stores, 'accounts' | 'version'>;
  readonly authenticator: Pick<Authenticator, 'checkStillGood'>;
  readonly signer: Pick<TokenSigner, 'keyRemovals'>;
  readonly clock: Clock;
  readonly random: Random;
}

type Answer = ResponseOf<typeof routes.accountsForEntrances>;
type FeedAccount = NonNullable<Answer['accounts']>[number];

const WAIT_MS = 8_000;
const LOOK_MS = 200;
/** Beyond this number a request gets its response immediately. */
const MOST_WAITING = 64;

/** Sends further entrances of a grid all accounts as soon as an account, a key or a signing key has changed. */
export class AccountFeed {
  readonly #options: AccountFeedOptions;
  /** Differs after each start, because versions start at 0 again. */
  readonly #boot: string;
  readonly #stopped = new AbortController();
  #waiting = 0;

  constructor(options: AccountFeedOptions) {
    this.#options = options;
    this.#boot = options.random.uuid().slice(0, 8);
  }

  /** Waits for a change, then checks the caller again. Rejects with `Unavailable`, or with why the caller is refused. */
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
    return { cursor, accounts: cursor === known ? null : this.#accounts() };
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
