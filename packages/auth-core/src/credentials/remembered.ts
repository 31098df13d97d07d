import { LRUCache } from 'lru-cache';
import type { AccountStore, Clock } from '../ports.ts';
import type { Account, Caller } from '../principal.ts';
import type { RequestOrigin } from '../request-origin.ts';
import { secretHash } from '../secrets/opaque.ts';
import type { Authenticator } from './authenticate.ts';
import type { PresentedCredentials } from './presented.ts';

/** Specification 5.7.6, contract 7. */
const REMEMBERED_MS = 30_000;
const MOST = 10_000;

/** How long a change made by another process may go unseen. */
const LOOK_EVERY_MS = 1000;

interface Memory {
  readonly caller: Caller;
  readonly until: number;
  lookedAt: number;
}

/** What a connection presented last: its next request nearly always presents the same. */
interface Last {
  readonly presented: PresentedCredentials;
  readonly memory: Memory;
}

/**
 * Callers of WebDriver commands, remembered for 30 s by the SHA-256 of what they presented, never past the
 * credential's own expiry. Failures are never remembered. The account is asked on every command: a deactivated,
 * demoted or re-keyed user is verified again at once.
 */
export class RememberedCallers {
  readonly #authenticator: Pick<Authenticator, 'authenticate'>;
  readonly #accounts: Pick<AccountStore, 'byId' | 'recall'>;
  readonly #clock: Clock;
  readonly #memory = new LRUCache<string, Memory>({ max: MOST });
  readonly #last = new WeakMap<object, Last>();

  constructor(
    authenticator: Pick<Authenticator, 'authenticate'>,
    accounts: Pick<AccountStore, 'byId' | 'recall'>,
    clock: Clock,
  ) {
    this.#authenticator = authenticator;
    this.#accounts = accounts;
    this.#clock = clock;
  }

  /**
   * Throws (or rejects with) what `authenticate` does. `connection` stands for the one the request came on; it is
   * spared the hash while it presents the same.
   */
  recall(
    presented: PresentedCredentials,
    connection?: object,
    from?: RequestOrigin,
  ): Caller | Promise<Caller> {
    const last = connection && this.#last.get(connection);
    if (last !== undefined && isSame(last.presented, presented) && this.#holds(last.memory)) {
      return last.memory.caller;
    }
    const key = secretHash(identityOf(presented));
    const memory = this.#memory.get(key);
    if (memory !== undefined && this.#holds(memory)) {
      if (connection !== undefined) this.#last.set(connection, { presented, memory });
      return memory.caller;
    }
    this.#memory.delete(key);
    const caller = this.#authenticator.authenticate(presented, from);
    return caller instanceof Promise
      ? caller.then((verified) => this.#remember(key, verified))
      : this.#remember(key, caller);
  }

  #holds(memory: Memory): boolean {
    const now = this.#clock.now();
    if (now >= memory.until) return false;
    const { account } = memory.caller;
    const isDue = now - memory.lookedAt >= LOOK_EVERY_MS;
    if (isDue) memory.lookedAt = now;
    return isUnchanged(isDue ? this.#accounts.byId(account.id) : this.#accounts.recall(account.id), account);
  }

  #remember(key: string, caller: Caller): Caller {
    const now = this.#clock.now();
    const until = Math.min(now + REMEMBERED_MS, caller.expiresAt ?? Number.POSITIVE_INFINITY);
    this.#memory.set(key, { caller, until, lookedAt: now });
    return caller;
  }
}

function isSame(one: PresentedCredentials, other: PresentedCredentials): boolean {
  return (
    one.accessKey === other.accessKey &&
    one.token === other.token &&
    one.bearer === other.bearer &&
    one.cookie === other.cookie
  );
}

/** Names the one credential that decides by precedence (specification 5.1.1), so that no two read alike. */
function identityOf({ accessKey, token, bearer, cookie }: PresentedCredentials): string {
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
