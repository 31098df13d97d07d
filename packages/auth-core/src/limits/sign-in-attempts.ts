import { emailKey } from '../email-address.ts';
import { Refusal } from '../errors.ts';
import type { Clock } from '../ports/index.ts';
import { secretHash } from '../secrets/opaque.ts';
import type { AttemptLimit } from './attempt-limit.ts';
import { Attempts, retryAfterSeconds } from './attempts.ts';
import { FailureCounter } from './failure-counter.ts';
import { FamiliarAddresses } from './familiar-addresses.ts';

/** One attempt that was let in. It counts as a failure until it is told otherwise. */
export interface SignInAttempt {
  /** Somebody signed in to this account from this address before. */
  readonly isFamiliar: boolean;
  succeeded(): void;
  /** For an attempt whose password was never compared. */
  takeBack(): void;
}

interface SignInLimits {
  readonly byAddress: AttemptLimit;
  /** Failures an account bears in the window of the addresses; 0: no such limit. */
  readonly perAccount: number;
}

/**
 * Sign-in attempts by address (specification 5.9.3), and by account beside it, so that an attacker with many
 * addresses cannot guess one account (contract 4). An address that signed in to the account before has a counter of
 * its own for it: strangers cannot keep the owner away, and a neighbour behind the owner's address cannot guess
 * without end. Accounts are counted by e-mail, existing or not: a lock tells nothing about which exist.
 */
export class SignInAttempts {
  readonly byAddress: Attempts;
  /** Null: turned off. */
  readonly #byAccount: FailureCounter | null;
  readonly #familiar = new FamiliarAddresses();

  constructor(clock: Clock, { byAddress, perAccount }: SignInLimits) {
    this.byAddress = new Attempts(clock, byAddress);
    this.#byAccount =
      perAccount === 0 ? null : new FailureCounter(clock, { ...byAddress, attempts: perAccount });
  }

  /** Counts before the password is looked at, so that simultaneous tries cannot all pass. */
  admit(email: string, address: string): SignInAttempt {
    const account = accountKey(email);
    const isFamiliar = this.#familiar.has(account, address);
    const counted = isFamiliar ? `${account} ${address}` : account;
    const wait = this.#byAccount?.waitMs(counted) || this.#byAccount?.add(counted) || 0;
    if (wait > 0) {
      throw new Refusal('too many login attempts', 'account counter', {
        retryAfter: retryAfterSeconds(wait),
      });
    }
    return {
      isFamiliar,
      succeeded: () => {
        this.byAddress.reset(address);
        if (isFamiliar) this.#byAccount?.reset(counted);
        else this.#byAccount?.takeBack(counted);
        this.#familiar.add(account, address);
      },
      takeBack: () => {
        this.byAddress.takeBack(address);
        this.#byAccount?.takeBack(counted);
      },
    };
  }

  /** Notes an address that signed in to the account before, as the audit trail remembers it. */
  recognise(email: string, address: string): void {
    this.#familiar.add(accountKey(email), address);
  }
}

/** The same for every spelling the stores take for one address; of one length, whatever was sent. */
function accountKey(email: string): string {
  return secretHash(emailKey(email));
}
