import type { Audit } from '../audit.ts';
import { Refusal } from '../errors.ts';
import type { Admitted } from '../limits/rate-buckets.ts';
import type { RateLimiter } from '../limits/rate-limiter.ts';
import { isLiveRule } from '../policy/live-rule.ts';
import type { AccountLookup, Clock } from '../ports/index.ts';
import { type Account, type Caller, type Credential, NO_CREDENTIAL } from '../principal.ts';
import type { RequestOrigin } from '../request-origin.ts';
import { effectiveScopes, roleAllowance } from '../scopes.ts';
import { secretDigest } from '../secrets/opaque.ts';
import type { TokenSigner } from '../tokens/signer.ts';
import { CommandHeaders } from './command-headers.ts';
import { type KnownCaller, KnownCallers } from './known-callers.ts';
import type { HeaderValues, PresentedCredentials } from './presented.ts';
import type { CredentialScheme } from './scheme.ts';
import { Uses } from './uses.ts';
import { Rejected, type Verification, type VerifiedCredential } from './verification.ts';

interface AuthenticatorOptions {
  readonly stores: AccountLookup;
  readonly clock: Clock;
  readonly audit: Pick<Audit, 'recordAfterwards'>;
  readonly limiter: RateLimiter;
  /** Credential schemes in the order of their precedence, strongest first. */
  readonly schemes: readonly CredentialScheme[];
  /**
   * Signer of the tokens. Its counter `keyRemovals` increases when a signing key is removed, which makes all cached
   * callers invalid.
   */
  readonly signer: Pick<TokenSigner, 'keyRemovals'>;
}

/** A credential that a request presented, with the values that the steps after its verification need. */
interface Attempt {
  readonly scheme: CredentialScheme;
  readonly presented: PresentedCredentials;
  readonly digest: string;
  readonly from: RequestOrigin;
  readonly forCommand: boolean;
  /** Value of the signer's `keyRemovals` when the verification of the credential began. */
  readonly keyRemovals: number;
}

/**
 * Result of a successful check of a credential: the caller of an API request, and the cache entry that WebDriver
 * commands use.
 */
interface AdmittedCredential {
  readonly caller: Admitted;
  readonly known: KnownCaller;
}

/** A valid credential with its account, and what the credential allows now. */
export type ValidCredential = Pick<Caller, 'account' | 'credential' | 'scopes' | 'expiresAt'>;

/** Steps that differ between the credential of an API request and the credential of a WebDriver command. */
interface CredentialPurpose<Proven> {
  readonly forCommand: boolean;
  /** @returns the cached result for a credential, or undefined if the credential has to be verified */
  readonly recall: (scheme: CredentialScheme, digest: string, from: RequestOrigin) => Proven | undefined;
  readonly take: (admitted: AdmittedCredential) => Proven;
}

const NO_HEADERS: HeaderValues = {};

/**
 * Verifies the credential of a request and creates the Caller. Throws `Refusal` (401) if the credential is not valid
 * and `Unavailable` (503) if it cannot be checked. Returns synchronously if every look-up is cached.
 *
 * The order of the schemes is their precedence. If a request has several credentials, only the strongest decides: if
 * that credential fails, the request is refused without trying the others (specification 5.1.1).
 */
export class Authenticator {
  /** Headers that carry credentials on WebDriver commands. */
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
    this.#schemes = schemes.filter(({ onlyOnCommands }) => onlyOnCommands !== true);
    this.#commandSchemes = schemes.filter(({ onCommands }) => onCommands);
    this.commandHeaders = new CommandHeaders(schemes);
    this.#byKind = new Map(this.#schemes.map((scheme) => [scheme.kind, scheme]));
    this.#uses = new Uses(clock, audit);
    // Each counter only grows, so their sum changes whenever one of them changes.
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

  /** Number of callers found in the cache (`hits`), and number of callers that had to be looked up (`misses`). */
  get cacheUses(): Readonly<KnownCallers['uses']> {
    return this.#known.uses;
  }

  authenticate(presented: PresentedCredentials, from: RequestOrigin): Admitted | Promise<Admitted> {
    const caller = this.#prove(this.#schemes, presented, from, this.#forRequests);
    if (caller === undefined) throw new Refusal('unauthenticated', 'no credential');
    return caller;
  }

  /**
   * Verifies a session token, which a create-session request carries in its capabilities. No API route accepts session
   * tokens.
   */
  async authenticateSessionToken(sessionToken: string, from: RequestOrigin): Promise<Caller> {
    return this.authenticate({ headers: NO_HEADERS, cookie: undefined, sessionToken }, from);
  }

  /**
   * Checks a credential like `authenticate`, but does not count as a use of the credential: nothing is recorded,
   * counted or cached.
   * @returns what the credential allows now, or undefined if it is not valid. Rejects with `Unavailable` if it cannot
   * be checked.
   */
  async inspect(presented: PresentedCredentials, from: RequestOrigin): Promise<ValidCredential | undefined> {
    for (const scheme of this.#schemes) {
      const secret = scheme.secretOf(presented);
      if (secret === undefined) continue;
      const now = this.#clock.now();
      const verified = await scheme.verify(presented, secret, secretDigest(secret), now, from);
      try {
        return this.#accept(verified, { scheme, presented }, this.#clock.now());
      } catch (error) {
        if (error instanceof Refusal) return undefined;
        throw error;
      }
    }
    return undefined;
  }

  /**
   * Authenticates a WebDriver command like `authenticate`, but only with the schemes that commands accept
   * (specification 5.7.2).
   *
   * @returns the caller, or undefined if the request has no credential that commands accept. The result can be used for
   * further commands with the same credential from the same address while `holds` returns true for it.
   */
  authenticateCommand(
    presented: PresentedCredentials,
    from: RequestOrigin,
  ): KnownCaller | Promise<KnownCaller> | undefined {
    return this.#prove(this.#commandSchemes, presented, from, this.#forCommands);
  }

  /** @returns whether `known`, a result of `authenticateCommand`, may still be used for commands */
  holds(known: KnownCaller): boolean {
    return this.#known.holds(known);
  }

  /**
   * @returns whether the request has a credential that no browser adds automatically. Such a request needs no check of
   * its `Origin` header, because a page of another site cannot cause it (contract 1, origin check).
   */
  liftsOriginCheck(presented: PresentedCredentials): boolean {
    return this.#schemes.some((scheme) => scheme.liftsOriginCheck?.(presented) === true);
  }

  /**
   * @returns whether the caller's credential and account are still valid. Called when a ticket (single-use token in a
   * URL) is used, and while a connection stays open, because the credential can end after it was authenticated.
   */
  stillGood(caller: Caller): boolean {
    if (caller.credential === NO_CREDENTIAL) return true;
    const scheme = this.#byKind.get(caller.credential.kind);
    const account = this.#stores.accounts.byId(caller.account.id);
    if (scheme === undefined || account?.status !== 'Active') return false;
    const now = this.#clock.now();
    // Ignore `caller.expiresAt` if each use extends the expiry, because it may be outdated. `scheme.stillGood` then
    // checks the stored expiry.
    const expires = caller.expiresAt !== null && scheme.use?.extends !== true;
    if (expires && now >= (caller.expiresAt as number)) return false;
    if (!this.#comesFromLiveRule(caller.credential)) return false;
    return scheme.stillGood(caller, account, now);
  }

  /**
   * Throws a refusal if the caller's credential is no longer valid. Code that awaits something after the caller was
   * authenticated calls this method before it changes data.
   */
  checkStillGood(caller: Caller): void {
    if (this.stillGood(caller)) return;
    const scheme = this.#byKind.get(caller.credential.kind);
    throw new Refusal(scheme?.publicCode ?? 'unauthenticated', 'ended meanwhile');
  }

  /**
   * @returns false if the credential was created through a trust rule (rule that lets CI jobs sign in) that is deleted
   * or paused (contract 10.3)
   */
  #comesFromLiveRule({ rule }: Pick<Credential, 'rule'>): boolean {
    // `rule` is undefined if a version of svc without trust rules issued the ticket from which the caller was read.
    return rule === null || rule === undefined || isLiveRule(this.#stores.trustRules, rule.id);
  }

  /**
   * @returns the caller whom the strongest credential of the request identifies, or undefined if the request has no
   * credential
   */
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

  /**
   * Runs the steps that follow the verification in every scheme: checks the account, its status and the expiry,
   * computes the effective scopes, records the use and caches the caller.
   */
  #admit(verified: Verification, attempt: Attempt): AdmittedCredential {
    const { scheme, presented, digest, from, forCommand, keyRemovals } = attempt;
    const now = this.#clock.now();
    // Read the change counter `version` before the account. If anything changes after this line, the counter increases,
    // and the cache entry with the old value is not used.
    const version = this.#stores.version() + keyRemovals;
    const { account, scopes, credential, expiresAt, used } = this.#accept(
      verified,
      { scheme, presented },
      now,
    );
    const { grantsUntil, teamId } = used;
    const { extended, until } = this.#uses.note(scheme, used, { account, from }, now);
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

  /** Checks the account, its status and the expiry. Throws a refusal if the credential is not valid. */
  #accept(
    verified: Verification,
    { scheme, presented }: Pick<Attempt, 'scheme' | 'presented'>,
    now: number,
  ): ValidCredential & { readonly used: VerifiedCredential } {
    const refuse = (reason: string): never => {
      throw new Refusal(scheme.publicCode, reason);
    };
    if (verified instanceof Rejected) return refuse(verified.reason);
    const { credential, granted, expiresAt } = verified;
    if (expiresAt !== null && now >= expiresAt) return refuse('credential expired');
    const account = this.#stores.accounts.byId(verified.accountId) ?? refuse('account deleted');
    if (account.status !== 'Active') return refuse('account inactive');
    if (!this.#comesFromLiveRule(credential)) return refuse('trust rule deleted or paused');
    if (verified.fits?.(account) === false || scheme.fits?.(presented, account) === false) {
      return refuse('credential replaced');
    }
    const scopes = granted === 'role' ? roleAllowance(account.role) : effectiveScopes(granted, account.role);
    return { account, credential, scopes, expiresAt, used: verified };
  }
}
