import { GenerationalCache } from '../generational-cache.ts';
import type { Admitted, RateBuckets } from '../limits/rate-buckets.ts';
import type { RateLimiter } from '../limits/rate-limiter.ts';
import type { AccountLookup, Clock } from '../ports/index.ts';
import type { Caller } from '../principal.ts';
import type { RequestOrigin } from '../request-origin.ts';
import type { CredentialScheme } from './scheme.ts';

/**
 * Minimum number of callers in the cache. `GenerationalCache` evicts callers only beyond this number, and never holds
 * more than twice as many.
 */
const REMEMBERED = 50_000;
/** Maximum time (ms) for which a caller is cached, about 12 days. */
const LONGEST_MS = 2 ** 30;
/** Maximum time (ms) for which a cached caller is valid for commands (specification 5.7.6, contract 7). */
const COMMAND_MS = 30_000;
/**
 * Interval (ms) at which the check of commands looks for changes of the database by other processes. Changes by this
 * process apply immediately.
 */
const OTHER_PROCESSES_MS = 250;
/**
 * Maximum number of callers that are newly cached for commands in each period of 30 s (`COMMAND_MS`). A cached caller
 * is also valid for 30 s, so at any moment only callers of the last two periods are valid, at most 10,000 (contract 7).
 */
const MOST_FOR_COMMANDS = 5000;

/**
 * A cached caller. It repeats the fields of a Caller instead of containing one: every request reads it, and an object
 * inside an object costs one more memory access.
 */
export interface KnownCaller extends Omit<Caller, 'from' | 'extended'> {
  readonly scheme: CredentialScheme;
  readonly rateBuckets: RateBuckets;
  /**
   * Client address for which the entry is valid, because a use from another address has to be recorded. Undefined if
   * the scheme records no addresses; the entry is then valid for every address.
   */
  readonly address: string | null | undefined;
  readonly version: number;
  readonly age: number;
  /**
   * End of the entry's validity, in ms since this cache was created. V8 stores numbers below 2^30 inside the object.
   * For ms since 1970, which are larger, it would allocate separate memory.
   */
  readonly until: number;
  /**
   * End of the entry's validity for commands in ms since this cache was created, or 0 if commands may not use the
   * entry.
   */
  readonly commandsUntil: number;
}

/** Facts about an admitted caller that decide how the caller is cached. */
export interface Admission {
  readonly scheme: CredentialScheme;
  readonly digest: string;
  /**
   * Counter of database changes and removed signing keys, read before the account was read. The entry is valid while
   * the counter has this value.
   */
  readonly version: number;
  /**
   * Time (ms since 1970) at which the cache entry becomes invalid: when the credential expires, or when its next use
   * has to be recorded in the database.
   */
  readonly until: number;
  readonly forCommand: boolean;
}

type Versions = Pick<AccountLookup, 'version' | 'versionHere'>;

/**
 * Cache of callers by the digest of their credential. A cached caller is used only while a look-up would have the same
 * result: the stores have not changed, nothing has expired, no use has to be recorded, and the client address is the
 * same. Refusals are never cached.
 */
export class KnownCallers {
  readonly #stores: Versions;
  readonly #clock: Clock;
  readonly #limiter: Pick<RateLimiter, 'bucketsOf' | 'age'>;
  readonly #start: number;
  readonly #known = new GenerationalCache<string, KnownCaller>(REMEMBERED);
  #span = { began: 0, forCommands: 0 };
  /** Time of the last check for changes by other processes, in ms since this cache was created. */
  #lookedAt = Number.NEGATIVE_INFINITY;
  /** Number of callers found in the cache (`hits`), and number of callers that had to be looked up (`misses`). */
  readonly uses = { hits: 0, misses: 0 };

  constructor(stores: Versions, clock: Clock, limiter: Pick<RateLimiter, 'bucketsOf' | 'age'>) {
    this.#stores = stores;
    this.#clock = clock;
    this.#limiter = limiter;
    this.#start = clock.now();
  }

  recall(scheme: CredentialScheme, digest: string, from: RequestOrigin): Admitted | undefined {
    const known = this.#known.get(digest);
    if (known === undefined || known.scheme !== scheme) return undefined;
    if (known.version !== this.#stores.version()) return undefined;
    if (this.#clock.now() - this.#start >= known.until || known.age !== this.#limiter.age) return undefined;
    if (known.address !== undefined && known.address !== from.address) return undefined;
    this.uses.hits += 1;
    return callerOf(known, from);
  }

  /**
   * Returns the cached caller of a WebDriver command, or undefined if the credential has to be verified. The result may
   * be used again while `holds` returns true.
   */
  recallForCommand(scheme: CredentialScheme, digest: string, from: RequestOrigin): KnownCaller | undefined {
    const known = this.#known.get(digest);
    if (known === undefined || known.scheme !== scheme || !this.holds(known)) return undefined;
    if (known.address !== undefined && known.address !== from.address) return undefined;
    this.uses.hits += 1;
    return known;
  }

  /** @returns whether commands may still use the cached caller without another look-up */
  holds(known: KnownCaller): boolean {
    const now = this.#clock.now() - this.#start;
    return now < known.commandsUntil && now < known.until && known.version === this.#versionForCommands(now);
  }

  /**
   * @returns the current value of the change counter. Changes by other processes are counted only every
   * `OTHER_PROCESSES_MS`, because reading them costs as much as the rest of a command's check.
   */
  #versionForCommands(now: number): number {
    // If `now` is before the last check, the clock was set back, so check for changes by other processes again.
    if (now >= this.#lookedAt && now < this.#lookedAt + OTHER_PROCESSES_MS) return this.#stores.versionHere();
    const version = this.#stores.version();
    this.#lookedAt = now;
    return version;
  }

  remember(caller: Caller, { scheme, digest, version, until, forCommand }: Admission): KnownCaller {
    const { account, credential, scopes, expiresAt, grantsUntil, teamId, from } = caller;
    this.uses.misses += 1;
    const now = this.#clock.now() - this.#start;
    // Call `bucketsOf` before reading `#limiter.age`. The call can evict rate buckets, which increases the age. The
    // cache entry would otherwise store an outdated age and never be used.
    const rateBuckets = this.#limiter.bucketsOf(caller);
    const known: KnownCaller = {
      account,
      credential,
      scopes,
      expiresAt,
      grantsUntil,
      teamId,
      scheme,
      rateBuckets,
      address: scheme.tracksAddresses ? from.address : undefined,
      version,
      age: this.#limiter.age,
      until: Math.min(until - this.#start, now + LONGEST_MS),
      commandsUntil: forCommand && this.#mayServeCommands(now) ? now + COMMAND_MS : 0,
    };
    this.#known.set(digest, known);
    return known;
  }

  /**
   * @returns whether another caller may be cached for commands. Callers beyond `MOST_FOR_COMMANDS` are looked up for
   * every command, which is slower but has the same result.
   */
  #mayServeCommands(now: number): boolean {
    // If `now` is before the start of the period, the clock was set back, so a new period begins.
    if (now < this.#span.began || now >= this.#span.began + COMMAND_MS)
      this.#span = { began: now, forCommands: 0 };
    this.#span.forCommands += 1;
    return this.#span.forCommands <= MOST_FOR_COMMANDS;
  }
}

export function callerOf(known: KnownCaller, from: RequestOrigin): Admitted {
  const { account, credential, scopes, expiresAt, grantsUntil, teamId, rateBuckets } = known;
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
