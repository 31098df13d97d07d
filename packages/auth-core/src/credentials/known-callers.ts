import { GenerationalCache } from '../generational-cache.ts';
import type { RateBuckets } from '../limits/rate-buckets.ts';
import type { RateLimiter } from '../limits/rate-limiter.ts';
import type { Clock, Stores } from '../ports.ts';
import type { Caller } from '../principal.ts';
import type { RequestOrigin } from '../request-origin.ts';

const REMEMBERED = 25_000;
/** The longest a caller is known without being asked for again. */
const LONGEST_MS = 2 ** 30;

/** In one piece, not a caller within: every step to another place in memory counts on this path. */
interface Known extends Omit<Caller, 'from' | 'extended' | 'allowance'> {
  readonly rateBuckets: RateBuckets;
  readonly address: string | null;
  readonly version: number;
  readonly age: number;
  /** In ms since the start: small numbers stay inside the object. */
  readonly until: number;
}

/**
 * Callers of one kind of credential, by the digest of what proved them. Who was admitted is admitted again without
 * asking anything, as long as asking would give the same: nothing in the stores has changed, nothing has expired, no
 * use is due to be noted, and it comes from the same address. Refusals are never remembered.
 */
export class KnownCallers {
  readonly #stores: Pick<Stores, 'version'>;
  readonly #clock: Clock;
  readonly #limiter: Pick<RateLimiter, 'bucketsOf' | 'age'>;
  readonly #start: number;
  readonly #known = new GenerationalCache<string, Known>(REMEMBERED);

  constructor(
    stores: Pick<Stores, 'version'>,
    clock: Clock,
    limiter: Pick<RateLimiter, 'bucketsOf' | 'age'>,
  ) {
    this.#stores = stores;
    this.#clock = clock;
    this.#limiter = limiter;
    this.#start = clock.now();
  }

  recall(digest: string, from: RequestOrigin): Caller | undefined {
    const known = this.#known.get(digest);
    if (known === undefined || known.version !== this.#stores.version()) return undefined;
    if (this.#clock.now() - this.#start >= known.until || known.age !== this.#limiter.age) return undefined;
    const { account, credential, scopes, expiresAt, grantsUntil, teamId, rateBuckets, address } = known;
    // Where a sign-in is used is noted when it is opened.
    if (credential.kind !== 'sign-in' && address !== from.address) return undefined;
    return {
      account,
      credential,
      scopes,
      expiresAt,
      grantsUntil,
      teamId,
      extended: false,
      rateBuckets,
      from,
    };
  }

  /**
   * `version`: the stores' when the caller was read. `until`: the first moment (ms) at which asking again may give
   * something else or has something to note.
   */
  remember(digest: string, caller: Caller, version: number, until: number): void {
    const { account, credential, scopes, expiresAt, grantsUntil, teamId, from } = caller;
    const rateBuckets = this.#limiter.bucketsOf(caller);
    const { age } = this.#limiter;
    const { address } = from;
    const now = this.#clock.now();
    this.#known.set(digest, {
      account,
      credential,
      scopes,
      expiresAt,
      grantsUntil,
      teamId,
      rateBuckets,
      address,
      version,
      age,
      until: Math.min(until, now + LONGEST_MS) - this.#start,
    });
  }
}
