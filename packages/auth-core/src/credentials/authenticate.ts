import type { Audit } from '../audit.ts';
import { Refusal } from '../errors.ts';
import type { Admitted } from '../limits/rate-buckets.ts';
import type { RateLimiter } from '../limits/rate-limiter.ts';
import type { AccountLookup, Clock } from '../ports/index.ts';
import { type Account, type Caller, NO_CREDENTIAL } from '../principal.ts';
import type { RequestOrigin } from '../request-origin.ts';
import { effectiveScopes, roleAllowance } from '../scopes.ts';
import { secretDigest } from '../secrets/opaque.ts';
import type { TokenSigner } from '../tokens/signer.ts';
import { CommandHeaders } from './command-headers.ts';
import { type KnownCaller, KnownCallers } from './known-callers.ts';
import type { HeaderValues, PresentedCredentials } from './presented.ts';
import type { CredentialScheme } from './scheme.ts';
import { Uses } from './uses.ts';
import { Rejected, type Verification } from './verification.ts';

interface AuthenticatorOptions {
  readonly stores: AccountLookup;
  readonly clock: Clock;
  readonly audit: Pick<Audit, 'recordAfterwards'>;
  readonly limiter: RateLimiter;
  /** In the order of their precedence. */
  readonly schemes: readonly CredentialScheme[];
  /** Signer whose verified tokens are cached. */
  readonly signer: Pick<TokenSigner, 'keyRemovals'>;
}

/** One credential in the steps that all schemes share. */
interface Attempt {
  readonly scheme: CredentialScheme;
  readonly presented: PresentedCredentials;
  readonly digest: string;
  readonly from: RequestOrigin;
  readonly forCommand: boolean;
  /** The signer's count of removed keys when the check of the credential began. */
  readonly keyRemovals: number;
}

/** A credential that passed every step, in both forms. */
interface AdmittedCredential {
  readonly caller: Admitted;
  readonly known: KnownCaller;
}

/** What differs between the credential of an API request and that of a command. */
interface CredentialPurpose<Proven> {
  readonly forCommand: boolean;
  /** @returns what is cached for a credential, or undefined if it has to be verified */
  readonly recall: (scheme: CredentialScheme, digest: string, from: RequestOrigin) => Proven | undefined;
  readonly take: (admitted: AdmittedCredential) => Proven;
}

const NO_HEADERS: HeaderValues = {};

/**
 * Turns a presented credential into a Caller, or throws `Refusal` (401) or `Unavailable` (503). No other code creates
 * Callers. Returns synchronously if every look-up is cached.
 *
 * The order of the schemes is their precedence. The strongest one present decides alone. If it fails, no other is tried
 * (specification 5.1.1).
 */
export class Authenticator {
  /** Headers of commands that carry credentials. */
  readonly commandHeaders: CommandHeaders;
  readonly #stores: AccountLookup;
  readonly #signer: Pick<TokenSigner, 'keyRemovals'>;
  readonly #clock: Clock;
  readonly #schemes: readonly CredentialScheme[];
  readonly #commandSchemes: readonly CredentialScheme[];
  readonly #byKind: ReadonlyMap<string, CredentialScheme>;
  readonly #uses: Uses;
  readonly #known: KnownCallers;
  readonly #forRequests: CredentialPurpose<Admitted>;
  readonly #forCommands: CredentialPurpose<KnownCaller>;

  constructor({ stores, clock, audit, limiter, schemes, signer }: AuthenticatorOptions) {
    this.#signer = signer;
    this.#stores = stores;
    this.#clock = clock;
    this.#schemes = schemes;
    this.#commandSchemes = schemes.filter(({ onCommands }) => onCommands);
    this.commandHeaders = new CommandHeaders(schemes);
    this.#byKind = new Map(schemes.map((scheme) => [scheme.kind, scheme]));
    this.#uses = new Uses(clock, audit);
    // Both only grow, so their sum differs after any change.
    const version = () => stores.version() + signer.keyRemovals;
    const versionHere = () => stores.versionHere() + signer.keyRemovals;
    const known = new KnownCallers({ version, versionHere }, clock, limiter);
    this.#known = known;
    this.#forRequests = {
      forCommand: false,
      recall: (scheme, digest, from) => known.recall(scheme, digest, from),
      take: ({ caller }) => caller,
    };
    this.#forCommands = {
      forCommand: true,
      recall: (scheme, digest, from) => known.recallForCommand(scheme, digest, from),
      take: (admitted) => admitted.known,
    };
  }

  /** How many callers were found in the cache, and how many were looked up. */
  get cacheUses(): Readonly<KnownCallers['uses']> {
    return this.#known.uses;
  }

  authenticate(presented: PresentedCredentials, from: RequestOrigin): Admitted | Promise<Admitted> {
    const caller = this.#prove(this.#schemes, presented, from, this.#forRequests);
    if (caller === undefined) throw new Refusal('unauthenticated', 'no credential');
    return caller;
  }

  /** Verifies the session token in the capabilities of a test session. No API route accepts it. */
  async authenticateSessionToken(sessionToken: string, from: RequestOrigin): Promise<Caller> {
    return this.authenticate({ headers: NO_HEADERS, cookie: undefined, sessionToken }, from);
  }

  /**
   * As `authenticate`, with the schemes that WebDriver commands accept (specification 5.7.2).
   *
   * @returns a caller that may be used again for the same credential and address while `holds` returns true, or
   * undefined if the request has no such credential
   */
  authenticateCommand(
    presented: PresentedCredentials,
    from: RequestOrigin,
  ): KnownCaller | Promise<KnownCaller> | undefined {
    return this.#prove(this.#commandSchemes, presented, from, this.#forCommands);
  }

  /** @returns whether commands may still use the result of `authenticateCommand` */
  holds(known: KnownCaller): boolean {
    return this.#known.holds(known);
  }

  /** @returns whether the request has a credential that no browser adds automatically (contract 1, origin check) */
  liftsOriginCheck(presented: PresentedCredentials): boolean {
    return this.#schemes.some((scheme) => scheme.liftsOriginCheck?.(presented) === true);
  }

  /**
   * @returns whether the caller's credential and account are still valid; tickets and open connections check it again
   */
  stillGood(caller: Caller): boolean {
    if (caller.credential === NO_CREDENTIAL) return true;
    const scheme = this.#byKind.get(caller.credential.kind);
    const account = this.#stores.accounts.byId(caller.account.id);
    if (scheme === undefined || account?.status !== 'Active') return false;
    const now = this.#clock.now();
    // If use extends the expiry, the current one is in the record of the credential.
    const expires = caller.expiresAt !== null && scheme.use?.extends !== true;
    if (expires && now >= (caller.expiresAt as number)) return false;
    return scheme.stillGood(caller, account, now);
  }

  /** Throws the refusal that the caller would get now. For flows that await something between check and change. */
  checkStillGood(caller: Caller): void {
    if (this.stillGood(caller)) return;
    const scheme = this.#byKind.get(caller.credential.kind);
    throw new Refusal(scheme?.publicCode ?? 'unauthenticated', 'ended meanwhile');
  }

  /** @returns what the strongest credential of the request proves, or undefined if the request has none */
  #prove<Proven extends { readonly account: Account }>(
    schemes: readonly CredentialScheme[],
    presented: PresentedCredentials,
    from: RequestOrigin,
    use: CredentialPurpose<Proven>,
  ): Proven | Promise<Proven> | undefined {
    for (const scheme of schemes) {
      const secret = scheme.secretOf(presented);
      if (secret === undefined) continue;
      const digest = secretDigest(secret);
      const known = use.recall(scheme, digest, from);
      if (known !== undefined && (scheme.fits === undefined || scheme.fits(presented, known.account))) {
        return known;
      }
      const { forCommand, take } = use;
      const { keyRemovals } = this.#signer;
      const attempt = { scheme, presented, digest, from, forCommand, keyRemovals };
      const verified = scheme.verify(presented, secret, digest, this.#clock.now(), from);
      return verified instanceof Promise
        ? verified.then((result) => take(this.#admit(result, attempt)))
        : take(this.#admit(verified, attempt));
    }
    return undefined;
  }

  /** The steps of every scheme: account, status, expiry, effective scopes, last use, cache. */
  #admit(verified: Verification, attempt: Attempt): AdmittedCredential {
    const { scheme, presented, digest, from, forCommand, keyRemovals } = attempt;
    const refuse = (reason: string): never => {
      throw new Refusal(scheme.publicCode, reason);
    };
    if (verified instanceof Rejected) return refuse(verified.reason);
    const now = this.#clock.now();
    // Read first, so that the cache entry is stale if anything changes from here on.
    const version = this.#stores.version() + keyRemovals;
    const { credential, granted, expiresAt, grantsUntil, teamId } = verified;
    if (expiresAt !== null && now >= expiresAt) return refuse('credential expired');
    const account = this.#stores.accounts.byId(verified.accountId) ?? refuse('account deleted');
    if (account.status !== 'Active') return refuse('account inactive');
    if (verified.fits?.(account) === false || scheme.fits?.(presented, account) === false) {
      return refuse('credential replaced');
    }
    const { extended, until } = this.#uses.note(scheme, verified, { account, from }, now);
    const scopes = granted === 'role' ? roleAllowance(account.role) : effectiveScopes(granted, account.role);
    const caller = { account, credential, scopes, expiresAt, grantsUntil, teamId, extended, from };
    const known = this.#known.remember(caller, {
      scheme,
      digest,
      version,
      until: Math.min(until, expiresAt ?? until),
      forCommand,
    });
    return { caller, known };
  }
}
