import { headersOfProof, PROOF_SCHEMES } from '@svc/contract';
import type { ApiToken, SignIn, SignInReader, Stores } from '../ports/index.ts';
import { type Account, type Caller, type Credential, credentialOfKind } from '../principal.ts';
import { hexOf, isOpaqueSecret } from '../secrets/opaque.ts';
import { isRevoked } from './lineage.ts';
import type { PresentedCredentials } from './presented.ts';
import type { CredentialScheme, CredentialUse } from './scheme.ts';
import { Rejected, type Verification } from './verification.ts';

/**
 * Minimum time (ms) between two extensions of a sign-in, so that not every request causes a write. If the lifetime is
 * short, a hundredth of the lifetime is used instead.
 */
const EXTEND_EVERY_MS = 60_000;

/**
 * Verifies the dashboard cookie. Every request extends the sign-in, but not beyond the latest expiry (`SignIn.until`),
 * which is set when the sign-in is opened (specification 2, 5.9.2).
 */
export class SignInScheme implements CredentialScheme {
  readonly kind = 'sign-in';
  readonly publicCode = PROOF_SCHEMES['sign-in'].refusal;
  readonly headers = headersOfProof('sign-in');
  readonly onCommands = false;
  /**
   * The use of a sign-in is not recorded by address, because the audit trail already has the address from which it was
   * opened.
   */
  readonly tracksAddresses = false;
  readonly use: CredentialUse;
  readonly #signIns: SignInReader;
  readonly #stores: Pick<Stores, 'apiTokens' | 'revocations'>;
  readonly #ttlMs: number;

  constructor(stores: Pick<Stores, 'signIns' | 'apiTokens' | 'revocations'>, ttlMs: number) {
    this.#signIns = stores.signIns;
    this.#stores = stores;
    this.#ttlMs = ttlMs;
    this.use = {
      everyMs: Math.min(EXTEND_EVERY_MS, ttlMs / 100),
      extends: true,
      note: (id, now, expiresAt) => this.#signIns.extend(id, now, expiresAt ?? now),
    };
  }

  secretOf({ cookie }: PresentedCredentials): string | undefined {
    return cookie;
  }

  verify(_presented: PresentedCredentials, cookie: string, digest: string, now: number): Verification {
    if (!isOpaqueSecret(cookie)) return new Rejected('cookie has a wrong form');
    const signIn = this.#signIns.byHash(hexOf(digest));
    if (signIn === undefined) return new Rejected('unknown or ended sign-in');
    if (now >= signIn.expiresAt) return new Rejected('sign-in expired');
    const opener = this.#openerOf(signIn);
    if (opener === undefined) return new Rejected('sign-in opened with a token that is revoked');
    return {
      accountId: signIn.accountId,
      credential: signInCredential(signIn.id, {
        limited: signIn.scopes !== null,
        provenAt: signIn.provenAt,
        rule: signIn.rule,
        parents: signIn.openedWith,
      }),
      granted: signIn.scopes ?? 'role',
      expiresAt: slidTo(signIn, now, this.#ttlMs),
      grantsUntil: signIn.until,
      teamId: signIn.teamId ?? opener?.teamId ?? null,
      usedAt: signIn.lastSeenAt,
    };
  }

  stillGood({ credential }: Caller, _account: Account, now: number): boolean {
    const signIn = this.#signIns.byId(credential.id);
    return signIn !== undefined && now < signIn.expiresAt && this.#openerOf(signIn) !== undefined;
  }

  /**
   * @returns the API token that opened the sign-in, null if it was opened in another way, or undefined if the key or
   * bearer token that opened it was revoked
   */
  #openerOf({ apiTokenId, openedWith }: SignIn): ApiToken | null | undefined {
    const id = openedWith.at(-1);
    const opener = id === undefined ? null : { id, parents: openedWith.slice(0, -1), sourceSignIn: null };
    if (opener !== null && isRevoked(opener, this.#stores.revocations)) return undefined;
    return apiTokenId === null ? null : this.#stores.apiTokens.byId(apiTokenId);
  }
}

/**
 * Creates the credential of a dashboard sign-in.
 * @param limited whether a key or bearer token opened the sign-in. The rights of the sign-in are then those of the key
 * or token
 * @param provenAt time (ms since 1970) at which the person last authenticated, with a password, a passkey or a provider
 * @param rule trust rule (rule that lets CI jobs sign in) through which the opening token was created
 */
export function signInCredential(
  id: string,
  {
    limited,
    ...traits
  }: {
    limited: boolean;
    provenAt?: number | null;
    rule?: Credential['rule'];
    parents?: readonly string[];
  },
): Credential {
  const own = { ownSignIn: id, sourceSignIn: id, isPerson: !limited };
  return credentialOfKind('sign-in', id, { ...own, ...traits });
}

/**
 * @returns the new expiry of a sign-in (ms since 1970) that a request uses at `now`: `ttlMs` after `now`, but not later
 * than `until`
 */
export function slidTo(signIn: Pick<SignIn, 'until'>, now: number, ttlMs: number): number {
  return Math.min(now + ttlMs, signIn.until ?? Number.POSITIVE_INFINITY);
}
