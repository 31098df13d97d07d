import { type Clock, secretHash } from '@svc/auth-core';
import { emailKey } from '@svc/contract';
import type { AttemptLimit } from './attempt-limit.ts';
import { Attempts } from './attempts.ts';
import { FailureCounter } from './failure-counter.ts';
import { FamiliarAddresses } from './familiar-addresses.ts';

/** A sign-in attempt that was admitted. It counts as a failure unless `succeeded` or `takeBack` is called. */
export interface SignInAttempt {
  /** Whether the client's address has signed in to the account before. */
  readonly isFamiliar: boolean;
  succeeded(): void;
  /** Call it if the attempt failed before the password was checked. The attempt then no longer counts. */
  takeBack(): void;
}

interface SignInLimits {
  readonly byAddress: AttemptLimit;
  /**
   * Number of failures per account and window after which the account rejects addresses that have not signed in to it
   * before, or 0 for no limit.
   */
  readonly perAccount: number;
}

/**
 * Counts sign-in attempts by address (specification 5.9.3) and by account, so that an attacker with many addresses
 * cannot guess the password of one account (contract 4). An address that signed in to the account before has its own
 * counter for the account. Attackers therefore cannot lock the owner out, and someone who shares the owner's address
 * cannot guess without limit. Accounts are counted by e-mail address, whether they exist or not, so that a lock does
 * not show which accounts exist.
 */
export class SignInAttempts {
  readonly byAddress: Attempts;
  /** Counter of failures by account, or null if the limit per account is turned off. */
  readonly #byAccount: FailureCounter | null;
  readonly #familiar = new FamiliarAddresses();

  constructor(clock: Clock, { byAddress, perAccount }: SignInLimits) {
    this.byAddress = new Attempts(clock, byAddress);
    this.#byAccount =
      perAccount === 0 ? null : new FailureCounter(clock, { ...byAddress, attempts: perAccount });
  }

  /**
   * Counts an attempt and admits it, or throws a refusal if the limit of the account is reached. Call it before the
   * password is compared, so that concurrent attempts cannot all pass.
   */
  admit(email: string, address: string): SignInAttempt {
    const account = accountKey(email);
    const isFamiliar = this.#familiar.has(account, address);
    const counted = isFamiliar ? `${account} ${address}` : account;
    this.#byAccount?.admit(counted, 'account counter');
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

  /**
   * Records that an address has signed in to the account. For sign-ins that `admit` did not see: with a passkey, or
   * before the server started (read from the audit trail).
   */
  recognise(email: string, address: string): void {
    this.#familiar.add(accountKey(email), address);
  }
}

/** @returns a key of fixed length that is the same for every spelling of an e-mail address */
function accountKey(email: string): string {
  return secretHash(emailKey(email));
}
