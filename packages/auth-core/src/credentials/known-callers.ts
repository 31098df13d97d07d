import { GenerationalCache } from '../generational-cache.ts';
import type { Admitted, RateBuckets } from '../limits/rate-buckets.ts';
import type { RateLimiter } from '../limits/rate-limiter.ts';
import type { AccountLookup, Clock } from '../ports/index.ts';
import type { Caller } from '../principal.ts';
import type { RequestOrigin } from '../request-origin.ts';
import type { CredentialScheme } from './scheme.ts';

/** At least so many callers are kept, and at most twice as many. */
const REMEMBERED = 50_000;
/** The longest a caller is known without being asked for again. */
const LONGEST_MS = 2 ** 30;
/** Commands ask again after this (specification 5.7.6, contract 7). */
const COMMAND_MS = 30_000;
/** Commands look this often (ms) whether another process has changed anything; what this one changes counts at once. */
const OTHER_PROCESSES_MS = 250;
/** Callers that become good for commands within `COMMAND_MS`: of two such spans at most 10,000 (contract 7). */
const MOST_FOR_COMMANDS = 5000;

/** In one piece, not a caller within: every step to another place in memory counts on this path. */
export interface KnownCaller extends Omit<Caller, 'from' | 'extended'> {
  readonly scheme: CredentialScheme;
  readonly rateBuckets: RateBuckets;
  /** Undefined: from everywhere, since the scheme notes no addresses. */
  readonly address: string | null | undefined;
  readonly version: number;
  readonly age: number;
  /** In ms since the start: small numbers stay inside the object. */
  readonly until: number;
  /** The same, for commands; 0: not for commands. */
  readonly commandsUntil: number;
}

/** What `remember` is told about a caller that was just admitted. */
export interface Admission {
  readonly scheme: CredentialScheme;
  readonly digest: string;
  /** The stores' when the caller was read. */
  readonly version: number;
  /** The first moment (ms) at which asking again may give something else or has something to note. */
  readonly until: number;
  readonly forCommand: boolean;
}

type Versions = Pick<AccountLookup, 'version' | 'versionHere'>;

/**
 * The one memory of callers, by the digest of what proved them. A caller that was admitted is admitted again without
 * asking anything, as long as asking would give the same: nothing in the stores has changed, nothing has expired, no
 * use is due to be noted, and it comes from the same address. Refusals are never remembered.
 */
export class KnownCallers {
  readonly #stores: Versions;
  readonly #clock: Clock;
  readonly #limiter: Pick<RateLimiter, 'bucketsOf' | 'age'>;
  readonly #start: number;
  readonly #known = new GenerationalCache<string, KnownCaller>(REMEMBERED);
  #span = { began: 0, forCommands: 0 };
  /** When the last look for a command was, in ms since the start. */
  #lookedAt = Number.NEGATIVE_INFINITY;
  /** How often a caller was known, and how often one had to be asked for. */
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

  /** As `recall`, for a command. `holds` tells for how long the answer may be used again. */
  recallForCommand(scheme: CredentialScheme, digest: string, from: RequestOrigin): KnownCaller | undefined {
    const known = this.#known.get(digest);
    if (known === undefined || known.scheme !== scheme || !this.holds(known)) return undefined;
    if (known.address !== undefined && known.address !== from.address) return undefined;
    this.uses.hits += 1;
    return known;
  }

  /** Whether a command may still rely on it. */
  holds(known: KnownCaller): boolean {
    const now = this.#clock.now() - this.#start;
    return now < known.commandsUntil && now < known.until && known.version === this.#versionForCommands(now);
  }

  /** A look costs as much as all the rest of a check. */
  #versionForCommands(now: number): number {
    // Before it: the clock was set back.
    if (now >= this.#lookedAt && now < this.#lookedAt + OTHER_PROCESSES_MS) return this.#stores.versionHere();
    const version = this.#stores.version();
    this.#lookedAt = now;
    return version;
  }

  remember(caller: Caller, { scheme, digest, version, until, forCommand }: Admission): KnownCaller {
    const { account, credential, scopes, expiresAt, grantsUntil, teamId, from } = caller;
    this.uses.misses += 1;
    const now = this.#clock.now() - this.#start;
    // Before the age is read: it may make room, and another age.
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

  /** Beyond the bound a caller is asked for again with every command, which is slower and nothing else. */
  #mayServeCommands(now: number): boolean {
    // Before it: the clock was set back.
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
