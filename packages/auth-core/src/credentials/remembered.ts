import { LRUCache } from 'lru-cache';
import type { AccountStore, Clock } from '../ports.ts';
import type { Account, Caller } from '../principal.ts';
import { secretHash } from '../secrets/opaque.ts';
import type { Authenticator } from './authenticate.ts';
import type { Presented } from './presented.ts';

/** Specification 5.7.6, contract 7. */
const REMEMBERED_MS = 30_000;
const MOST = 10_000;

interface Memory {
  readonly caller: Caller;
  readonly until: number;
}

/**
 * Callers of WebDriver commands, remembered for 30 s by the SHA-256 of what they presented, never past the
 * credential's own expiry. Failures are never remembered. The account is asked on every command: a deactivated,
 * demoted or re-keyed user is verified again at once.
 */
export class RememberedCallers {
  readonly #authenticator: Pick<Authenticator, 'authenticate'>;
  readonly #accounts: Pick<AccountStore, 'byId'>;
  readonly #clock: Clock;
  readonly #memory = new LRUCache<string, Memory>({ max: MOST });

  constructor(
    authenticator: Pick<Authenticator, 'authenticate'>,
    accounts: Pick<AccountStore, 'byId'>,
    clock: Clock,
  ) {
    this.#authenticator = authenticator;
    this.#accounts = accounts;
    this.#clock = clock;
  }

  /** Throws (or rejects with) what `authenticate` does. */
  recall(presented: Presented): Caller | Promise<Caller> {
    const key = secretHash(identityOf(presented));
    const memory = this.#memory.get(key);
    if (memory !== undefined) {
      const account = this.#accounts.byId(memory.caller.account.id);
      if (this.#clock.now() < memory.until && isUnchanged(account, memory.caller.account))
        return memory.caller;
      this.#memory.delete(key);
    }
    const caller = this.#authenticator.authenticate(presented);
    return caller instanceof Promise
      ? caller.then((verified) => this.#remember(key, verified))
      : this.#remember(key, caller);
  }

  #remember(key: string, caller: Caller): Caller {
    const until = Math.min(this.#clock.now() + REMEMBERED_MS, caller.expiresAt ?? Number.POSITIVE_INFINITY);
    this.#memory.set(key, { caller, until });
    return caller;
  }
}

/** Names the one credential that decides by precedence (specification 5.1.1), so that no two read alike. */
function identityOf({ accessKey, token, bearer, cookie }: Presented): string {
  if (accessKey !== undefined || token !== undefined)
    return JSON.stringify([accessKey ?? null, token ?? null]);
  return bearer === undefined ? `cookie ${cookie}` : `bearer ${bearer}`;
}

function isUnchanged(now: Account | undefined, then: Account): boolean {
  if (now === then) return now.status === 'Active';
  return (
    now !== undefined &&
    now.status === 'Active' &&
    now.role === then.role &&
    now.accessKey === then.accessKey &&
    now.signInEpoch === then.signInEpoch
  );
}
