import type { ApiToken, SignIn, SignInReader, Stores } from '../ports.ts';
import { Rejected, type Verification } from './verification.ts';

/** 256 random bits in base64url; anything else is no cookie of ours and costs no look-up. */
const FORM = /^[A-Za-z0-9_-]{43}$/;

/** The dashboard cookie. Every request extends the sign-in, never past its bound (specification 2, 5.9.2). */
export class SignInVerifier {
  readonly #signIns: SignInReader;
  readonly #stores: Pick<Stores, 'apiTokens'>;
  readonly #ttlMs: number;

  constructor(stores: Pick<Stores, 'signIns' | 'apiTokens'>, ttlMs: number) {
    this.#signIns = stores.signIns;
    this.#stores = stores;
    this.#ttlMs = ttlMs;
  }

  verify(cookie: string, hash: string, now: number): Verification {
    if (!FORM.test(cookie)) return new Rejected('cookie has a wrong form');
    const signIn = this.#signIns.byHash(hash);
    if (signIn === undefined) return new Rejected('unknown or ended sign-in');
    if (now >= signIn.expiresAt) return new Rejected('sign-in expired');
    const opener = this.#openerOf(signIn);
    if (opener === undefined) return new Rejected('sign-in opened with a token that is revoked');
    const expiresAt = slidTo(signIn, now, this.#ttlMs);
    return {
      accountId: signIn.accountId,
      credential: { kind: 'sign-in', id: signIn.id, limited: signIn.scopes !== null },
      granted: signIn.scopes ?? 'role',
      expiresAt,
      grantsUntil: signIn.until,
      teamId: signIn.teamId ?? opener?.teamId ?? null,
      usedAt: signIn.lastSeenAt,
    };
  }

  /** Whether a sign-in proven before still is one. */
  isOpen(id: string, now: number): boolean {
    const signIn = this.#signIns.byId(id);
    return signIn !== undefined && now < signIn.expiresAt && this.#openerOf(signIn) !== undefined;
  }

  /** The API token a sign-in was opened with: null when with none, undefined when it is revoked. */
  #openerOf({ apiTokenId }: SignIn): ApiToken | null | undefined {
    return apiTokenId === null ? null : this.#stores.apiTokens.byId(apiTokenId);
  }
}

/** Where a request at `now` moves the end of a sign-in. */
export function slidTo(signIn: Pick<SignIn, 'until'>, now: number, ttlMs: number): number {
  return Math.min(now + ttlMs, signIn.until ?? Number.POSITIVE_INFINITY);
}
