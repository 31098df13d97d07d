import { GenerationalCache } from '../generational-cache.ts';
import type { Admitted, RateBuckets } from '../limits/rate-buckets.ts';
import type { RateLimiter } from '../limits/rate-limiter.ts';
import type { AccountLookup, Clock } from '../ports/index.ts';
import type { Caller } from '../principal.ts';
import type { RequestOrigin } from '../request-origin.ts';
import type { CredentialScheme } from './scheme.ts';

/** Minimum number of cached callers; the maximum is twice as many. */
const REMEMBERED = 50_000;
/** Maximum time for which a caller is cached. */
const LONGEST_MS = 2 ** 30;
/** Maximum time for which a cached caller is valid for commands (specification 5.7.6, contract 7). */
const COMMAND_MS = 30_000;
/** Interval (ms) at which commands check for changes by other processes. Changes by this process apply immediately. */
const OTHER_PROCESSES_MS = 250;
/** Maximum number of callers cached for commands per `COMMAND_MS`: at most 10,000 in two such spans (contract 7). */
const MOST_FOR_COMMANDS = 5000;

/** A flat object instead of one that contains a caller, because each memory access counts on this path. */
export interface KnownCaller extends Omit<Caller, 'from' | 'extended'> {
  readonly scheme: CredentialScheme;
  readonly rateBuckets: RateBuckets;
  /** Undefined if the entry is valid for every address, because the scheme records no addresses. */
  readonly address: string | null | undefined;
  readonly version: number;
  readonly age: number;
  /** In ms since the start, because V8 stores small numbers inside the object. */
  readonly until: number;
  /** The same for commands; 0 if the entry is not valid for commands. */
  readonly commandsUntil: number;
}

/** How to cache a caller who was just admitted. */
export interface Admission {
  readonly scheme: CredentialScheme;
  readonly digest: string;
  /** Version of the stores when the caller was read. */
  readonly version: number;
  /** Time (ms) from which another look-up may have a different result or has a use to record. */
  readonly until: number;
  readonly forCommand: boolean;
}

type Versions = Pick<AccountLookup, 'version' | 'versionHere'>;

/**
 * The cache of callers, by the digest of their credential. A cached caller is admitted without a look-up while a
 * look-up would have the same result: the stores have not changed, nothing has expired, no use has to be recorded, and
 * the address is the same. Refusals are never cached.
 */
export class KnownCallers {
  readonly #stores: Versions;
  readonly #clock: Clock;
  readonly #limiter: Pick<RateLimiter, 'bucketsOf' | 'age'>;
  readonly #start: number;
  readonly #known = new GenerationalCache<string, KnownCaller>(REMEMBERED);
  #span = { began: 0, forCommands: 0 };
  /** When commands last checked for changes by other processes, in ms since the start. */
  #lookedAt = Number.NEGATIVE_INFINITY;
  /** How many callers were found in the cache, and how many had to be looked up. */
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

  /** As `recall`, for a command. The result may be used again while `holds` returns true. */
  recallForCommand(scheme: CredentialScheme, digest: string, from: RequestOrigin): KnownCaller | undefined {
    const known = this.#known.get(digest);
    if (known === undefined || known.scheme !== scheme || !this.holds(known)) return undefined;
    if (known.address !== undefined && known.address !== from.address) return undefined;
    this.uses.hits += 1;
    return known;
  }

  /** @returns whether commands may still use the caller */
  holds(known: KnownCaller): boolean {
    const now = this.#clock.now() - this.#start;
    return now < known.commandsUntil && now < known.until && known.version === this.#versionForCommands(now);
  }

  /** Checking for changes by other processes costs as much as the rest of a check, so it is done at intervals. */
  #versionForCommands(now: number): number {
    // An earlier time means that the clock was set back.
    if (now >= this.#lookedAt && now < this.#lookedAt + OTHER_PROCESSES_MS) return this.#stores.versionHere();
    const version = this.#stores.version();
    this.#lookedAt = now;
    return version;
  }

  remember(caller: Caller, { scheme, digest, version, until, forCommand }: Admission): KnownCaller {
    const { account, credential, scopes, expiresAt, grantsUntil, teamId, from } = caller;
    this.uses.misses += 1;
    const now = this.#clock.now() - this.#start;
    // Before the age is read, because it may evict buckets and raise the age.
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

  /** Callers beyond the bound are looked up for every command, which is only slower. */
  #mayServeCommands(now: number): boolean {
    // An earlier time means that the clock was set back.
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
