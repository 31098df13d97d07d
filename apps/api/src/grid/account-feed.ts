import { setTimeout as after } from 'node:timers/promises';
import type { Authenticator, Caller, Clock, Random, Stores, TokenSigner, ToldAccount } from '@svc/auth-core';

interface AccountFeedOptions {
  readonly stores: Pick<Stores, 'accounts' | 'version'>;
  readonly authenticator: Pick<Authenticator, 'checkStillGood'>;
  readonly signer: Pick<TokenSigner, 'keyRemovals'>;
  readonly clock: Clock;
  readonly random: Random;
}

interface Told {
  readonly cursor: string;
  /** Null: nothing has changed. */
  readonly accounts: readonly ToldAccount[] | null;
}

const WAIT_MS = 8_000;
const LOOK_MS = 200;
/** Further ones are answered at once. */
const MOST_WAITING = 64;

/** Tells further entrances of a grid which accounts there are, as soon as that, a key or a signing key has changed. */
export class AccountFeed {
  readonly #options: AccountFeedOptions;
  /** Another one after each start: versions begin anew. */
  readonly #boot: string;
  readonly #stopped = new AbortController();
  #waiting = 0;

  constructor(options: AccountFeedOptions) {
    this.#options = options;
    this.#boot = options.random.uuid().slice(0, 8);
  }

  /** Throws `Unavailable`, and what `caller` would meet by now. */
  async next(caller: Caller, known: unknown, gone: AbortSignal): Promise<Told> {
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

  #accounts(): ToldAccount[] {
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
