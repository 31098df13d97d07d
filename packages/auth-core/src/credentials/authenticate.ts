import { type Audit, LOCAL_ORIGIN } from '../audit.ts';
import { Refusal } from '../errors.ts';
import type { RateLimiter } from '../limits/rate-limiter.ts';
import type { Clock, Stores } from '../ports.ts';
import type { Caller, Credential } from '../principal.ts';
import type { RequestOrigin } from '../request-origin.ts';
import { effectiveScopes, roleAllowance } from '../scopes.ts';
import { hexOf, secretDigest } from '../secrets/opaque.ts';
import type { TokenSigner } from '../tokens/signer.ts';
import { BearerVerifier } from './bearer.ts';
import { verifyKeyPair } from './key-pair.ts';
import { KnownCallers } from './known-callers.ts';
import type { PresentedCredentials } from './presented.ts';
import { verifySessionToken } from './session-token.ts';
import { SignInVerifier } from './sign-in.ts';
import { Uses } from './uses.ts';
import { PUBLIC_CODE, Rejected, type Verification } from './verification.ts';

type Admitted = Exclude<Credential['kind'], 'none'>;

/**
 * Turns a presented credential into a Caller, or throws `Refusal` (401) or `Unavailable` (503). The only maker of
 * Callers. Answers without a promise whenever nothing has to be awaited, which is every warm request.
 *
 * Precedence: key pair, then bearer token, then cookie; the strongest one present decides alone, a failing pair or
 * bearer never falls back (specification 5.1.1). Half a pair is a failing pair (contract 1).
 */
export class Authenticator {
  readonly #stores: Stores;
  readonly #clock: Clock;
  readonly #signer: TokenSigner;
  readonly #bearers: BearerVerifier;
  readonly #signIns: SignInVerifier;
  readonly #uses: Uses;
  readonly #known: Record<'key' | 'bearer' | 'sign-in', KnownCallers>;

  constructor(
    stores: Stores,
    clock: Clock,
    signer: TokenSigner,
    audit: Audit,
    limiter: RateLimiter,
    signInTtlMs: number,
  ) {
    this.#stores = stores;
    this.#clock = clock;
    this.#signer = signer;
    this.#bearers = new BearerVerifier(signer);
    this.#signIns = new SignInVerifier(stores, signInTtlMs);
    this.#uses = new Uses(stores, clock, audit, signInTtlMs);
    this.#known = {
      key: new KnownCallers(stores, clock, limiter),
      bearer: new KnownCallers(stores, clock, limiter),
      'sign-in': new KnownCallers(stores, clock, limiter),
    };
  }

  authenticate(
    presented: PresentedCredentials,
    from: RequestOrigin = LOCAL_ORIGIN,
  ): Caller | Promise<Caller> {
    const { accessKey, token, bearer, cookie } = presented;
    if (accessKey !== undefined || token !== undefined) {
      const digest = secretDigest(token ?? '');
      const known = this.#known.key.recall(digest, from);
      // Compared plainly: it is no secret, and only who holds a good token gets this far.
      if (known !== undefined && known.account.accessKey === accessKey) return known;
      const verified = verifyKeyPair(accessKey, token, hexOf(digest), this.#stores.apiTokens);
      return this.#admit(verified, 'key', digest, from);
    }
    if (bearer !== undefined) {
      const digest = secretDigest(bearer);
      return this.#known.bearer.recall(digest, from) ?? this.#admitBearer(bearer, digest, from);
    }
    if (cookie !== undefined) {
      const digest = secretDigest(cookie);
      return this.#known['sign-in'].recall(digest, from) ?? this.#admitCookie(cookie, digest, from);
    }
    throw new Refusal('unauthenticated', 'no credential');
  }

  #admitBearer(bearer: string, digest: string, from: RequestOrigin): Caller | Promise<Caller> {
    const verified = this.#bearers.verify(bearer, digest);
    return verified instanceof Promise
      ? verified.then((result) => this.#admit(result, 'bearer', digest, from))
      : this.#admit(verified, 'bearer', digest, from);
  }

  #admitCookie(cookie: string, digest: string, from: RequestOrigin): Caller {
    const verified = this.#signIns.verify(cookie, hexOf(digest), this.#clock.now());
    return this.#admit(verified, 'sign-in', digest, from);
  }

  /** The session token of a test session's capabilities; no API route accepts it. */
  async authenticateSessionToken(token: string, from: RequestOrigin = LOCAL_ORIGIN): Promise<Caller> {
    return this.#admit(await verifySessionToken(token, this.#signer), 'session-token', '', from);
  }

  /** Whether what stood behind a caller still stands: asked again by tickets and open connections. */
  stillGood(caller: Caller): boolean {
    const now = this.#clock.now();
    const { account: then, credential } = caller;
    if (credential.kind === 'none') return true;
    const account = this.#stores.accounts.byId(then.id);
    if (account?.status !== 'Active') return false;
    if (credential.kind === 'sign-in') return this.#signIns.isOpen(credential.id, now);
    if (caller.expiresAt !== null && now >= caller.expiresAt) return false;
    if (credential.kind === 'key') {
      return account.accessKey === then.accessKey && this.#stores.apiTokens.byId(credential.id) !== undefined;
    }
    const fromSignIn = credential.kind === 'bearer' && credential.fromSignIn;
    return !fromSignIn || account.signInEpoch === then.signInEpoch;
  }

  /** The steps every kind goes through: account, status, expiry, effective scopes, last use. */
  #admit(verified: Verification, kind: Admitted, digest: string, from: RequestOrigin): Caller {
    const word = PUBLIC_CODE[kind];
    if (verified instanceof Rejected) throw new Refusal(word, verified.reason);
    const now = this.#clock.now();
    // Before anything is read: what changes from here on must not count as known.
    const version = this.#stores.version();
    if (verified.expiresAt !== null && now >= verified.expiresAt)
      throw new Refusal(word, 'credential expired');
    const account = this.#stores.accounts.byId(verified.accountId);
    if (account === undefined) throw new Refusal(word, 'account deleted');
    if (account.status !== 'Active') throw new Refusal(word, 'account inactive');
    if (verified.fits !== undefined && !verified.fits(account))
      throw new Refusal(word, 'credential replaced');
    const { extended, until } = this.#uses.note(verified, { account, from }, now);
    const { credential, granted, expiresAt, grantsUntil, teamId } = verified;
    const scopes = granted === 'role' ? roleAllowance(account.role) : effectiveScopes(granted, account.role);
    const caller = { account, credential, scopes, expiresAt, grantsUntil, teamId, extended, from };
    if (kind !== 'session-token') {
      this.#known[kind].remember(digest, caller, version, Math.min(until, expiresAt ?? until));
    }
    return caller;
  }
}
