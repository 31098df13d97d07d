import type { ScopeSet } from '../scopes.ts';

/** A long-lived secret of a user: Profile token or admin-created API key (specification 2). */
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

/** A page of keys and tokens, those made last first. */
export interface ApiTokenPage {
  /** Without what expired by then (ms). */
  readonly now: number;
  /** Part of the name (any case of the letters A to Z) or of the owner's e-mail address (any letter case). */
  readonly search?: string | undefined;
  /** Id of a key or token: only those made before it; none before an unknown one. */
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
  /** How many are bound to a team. */
  countOfTeam(teamId: string): number;
  /** Notes a use, in memory; written behind, so a crash may lose the last seconds of it. Needs no transaction. */
  touch(id: string, at: number): void;
}

export interface ApiTokenStore extends ApiTokenReader {
  insert(token: ApiToken, hash: string): void;
  /** False when there was nothing to revoke. */
  revoke(id: string): boolean;
  /**
   * Removes Profile tokens of an owner that had expired by `now` (ms), the longest expired ones first, and keeps the
   * `keep` that expired last. One call removes a limited number.
   */
  removeExpiredProfileTokens(ownerId: string, now: number, keep: number): void;
  /** False when there is no such token. */
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
  /** A sign-in opened with a key or bearer token is limited to these; null: all the role allows. */
  readonly scopes: ScopeSet | null;
  /** It cannot slide past this moment; null: no bound. */
  readonly until: number | null;
  /** The API token it was opened with; it ends when that one is revoked. */
  readonly apiTokenId: string | null;
  /** The team of the key it goes back to; null: none, or opened before this was kept. */
  readonly teamId: string | null;
}

export interface SignInReader {
  /** By SHA-256 of the cookie (hex). */
  byHash(hash: string): SignIn | undefined;
  byId(id: string): SignIn | undefined;
  /** Newest first. */
  listOf(accountId: string): SignIn[];
  /** Moves its end, in memory; written behind, like `ApiTokenReader.touch`. */
  extend(id: string, lastSeenAt: number, expiresAt: number): void;
}

export interface SignInStore extends SignInReader {
  insert(signIn: SignIn, hash: string): void;
  /** False when there was none. */
  end(id: string): boolean;
  /** Ends all of an account but `exceptId`; answers the ids that ended. */
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
  /** By SHA-256 of the token (hex); spent and cancelled ones are not found. */
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

/** Marks ids as spent for good; survives a restart (contract 4, tickets). */
export interface ReplayStore extends ReplayReader {
  /** True the first time only. `expiresAt` tells when the mark may be forgotten. */
  spend(id: string, expiresAt: number): boolean;
  removeExpired(now: number): void;
}
