import type { ScopeSet } from '../scopes.ts';

/** A long-lived secret of a user: a Profile token, or an API key created by an Admin (specification 2). */
export interface ApiToken {
  readonly id: string;
  readonly ownerId: string;
  readonly kind: 'profile' | 'api-key';
  readonly name: string;
  readonly scopes: ScopeSet;
  readonly rateLimit: number;
  readonly teamId: string | null;
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly lastUsedAt: number | null;
}

/** Query of a page of keys and tokens, newest first. */
export interface ApiTokenPage {
  /** Excludes what had expired by this time (ms). */
  readonly now: number;
  /** Part of the name (any case of the letters A to Z) or of the owner's e-mail address (any letter case). */
  readonly search?: string | undefined;
  /** Id of a key or token; selects those created before it. Selects none if it is unknown. */
  readonly before?: string | undefined;
  readonly limit: number;
}

export interface ApiTokenReader {
  /** By SHA-256 of the secret (hex). Revoked ones are not found. */
  byHash(hash: string): ApiToken | undefined;
  byId(id: string): ApiToken | undefined;
  /** Newest first. */
  listOf(ownerId: string): ApiToken[];
  /** Newest first. */
  listAll(): ApiToken[];
  page(page: ApiTokenPage): ApiToken[];
  /** Number of Profile tokens of an owner that have not expired by `now` (ms). */
  countLiveProfileTokens(ownerId: string, now: number): number;
  /** Number of keys and tokens that are bound to a team. */
  countOfTeam(teamId: string): number;
  /** Records a use in memory. It is written later, so a crash may lose the last seconds. Needs no transaction. */
  touch(id: string, at: number): void;
}

export interface ApiTokenStore extends ApiTokenReader {
  insert(token: ApiToken, hash: string): void;
  /** @returns false if there was nothing to revoke */
  revoke(id: string): boolean;
  /**
   * Removes Profile tokens of an owner that had expired by `now` (ms), the longest expired ones first, except the
   * `keep` that expired last. One call removes a limited number.
   */
  removeExpiredProfileTokens(ownerId: string, now: number, keep: number): void;
  /** @returns false if there is no such token */
  setRateLimit(id: string, rateLimit: number): boolean;
}

/** The record behind a dashboard cookie (specification 2, Dashboard sign-in). */
export interface SignIn {
  readonly id: string;
  readonly accountId: string;
  readonly createdAt: number;
  readonly lastSeenAt: number;
  readonly expiresAt: number;
  readonly userAgent: string | null;
  /** Scopes of a sign-in that was opened with a key or bearer token; null for all that the role allows. */
  readonly scopes: ScopeSet | null;
  /** Time (ms) beyond which use does not extend it, or null for no bound. */
  readonly until: number | null;
  /** The API token that opened it, whose revocation ends it; null if none did. */
  readonly apiTokenId: string | null;
  /** Team of the key that opened it; null if there is none, or if it was opened before this was stored. */
  readonly teamId: string | null;
}

export interface SignInReader {
  /** By SHA-256 of the cookie (hex). */
  byHash(hash: string): SignIn | undefined;
  byId(id: string): SignIn | undefined;
  /** Newest first. */
  listOf(accountId: string): SignIn[];
  /** Extends it in memory. It is written later, like `ApiTokenReader.touch`. */
  extend(id: string, lastSeenAt: number, expiresAt: number): void;
}

export interface SignInStore extends SignInReader {
  insert(signIn: SignIn, hash: string): void;
  /** @returns false if there was no such sign-in */
  end(id: string): boolean;
  /**
   * Ends all sign-ins of an account except `exceptId`.
   * @returns the ids that ended
   */
  endAllOf(accountId: string, exceptId?: string): string[];
  removeExpired(now: number): void;
}

export interface ResetLink {
  readonly id: string;
  readonly accountId: string;
  readonly createdAt: number;
  readonly expiresAt: number;
}

export interface ResetLinkReader {
  /** By SHA-256 of the token (hex). Spent and cancelled links are not found. */
  byHash(hash: string): ResetLink | undefined;
}

export interface ResetLinkStore extends ResetLinkReader {
  insert(link: ResetLink, hash: string): void;
  cancelAllOf(accountId: string): void;
  removeExpired(now: number): void;
}

export interface ReplayReader {
  isSpent(id: string): boolean;
}

/** Marks ids as spent, also across a restart (contract 4, tickets). */
export interface ReplayStore extends ReplayReader {
  /**
   * @param expiresAt when the mark may be removed
   * @returns true the first time only
   */
  spend(id: string, expiresAt: number): boolean;
  removeExpired(now: number): void;
}
