import { LRUCache } from 'lru-cache';
import type { AttemptLimit } from '../config/config.ts';
import { emailKey } from '../email-address.ts';
import { Refusal } from '../errors.ts';
import type { Clock } from '../ports.ts';
import { secretHash } from '../secrets/opaque.ts';
import { Attempts, retryAfterSeconds } from './attempts.ts';

/** An account bears the attempts of this many addresses before it closes to strange ones. */
const ADDRESSES_PER_ACCOUNT = 4;
const MOST_FAMILIAR = 20_000;

/**
 * Sign-in attempts by address (specification 5.9.3), and by account beside it: whoever has many addresses still
 * cannot guess one account. An address that signed in to an account before is familiar to it and never locked out
 * by the strangers' count, so that guessing cannot keep the owner away. Accounts are counted by e-mail, existing
 * or not: a lock tells nothing about which exist.
 */
export class SignInAttempts {
  readonly byAddress: Attempts;
  readonly #byAccount: Attempts;
  readonly #familiar = new LRUCache<string, true>({ max: MOST_FAMILIAR });

  constructor(clock: Clock, limit: AttemptLimit) {
    this.byAddress = new Attempts(clock, limit);
    this.#byAccount = new Attempts(clock, { ...limit, attempts: limit.attempts * ADDRESSES_PER_ACCOUNT });
  }

  /** Counts before the password is looked at, so that simultaneous tries cannot all pass. */
  admit(email: string, address: string): void {
    const account = accountKey(email);
    if (this.#familiar.has(account + address)) return;
    const wait = this.#byAccount.waitMs(account);
    if (wait > 0) {
      throw new Refusal('too many login attempts', 'account counter', {
        retryAfter: retryAfterSeconds(wait),
      });
    }
    this.#byAccount.add(account);
  }

  succeeded(email: string, address: string): void {
    this.byAddress.reset(address);
    this.#byAccount.reset(accountKey(email));
    this.recognise(email, address);
  }

  /** For an attempt whose password was never compared. */
  takeBack(email: string, address: string): void {
    const account = accountKey(email);
    this.byAddress.takeBack(address);
    if (!this.#familiar.has(account + address)) this.#byAccount.takeBack(account);
  }

  /** Notes an address that signed in to the account before, as the audit trail remembers it. */
  recognise(email: string, address: string): void {
    this.#familiar.set(accountKey(email) + address, true);
  }
}

/** The same for every spelling the stores take for one address; of one length, whatever was sent. */
function accountKey(email: string): string {
  return secretHash(emailKey(email));
}
