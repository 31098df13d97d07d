import type { RuleOrigin } from '../principal.ts';
import type { ScopeSet } from '../scopes.ts';

/**
 * A long-lived secret of a user: a Profile token, an API key created by an Admin (specification 2), or the key of an
 * identity provider, which only SCIM accepts (contract 10.5).
 */
export interface ApiToken {
  readonly id: string;
  readonly ownerId: string;
  readonly kind: 'profile' | 'api-key' | 'scim';
  readonly name: string;
  readonly scopes: ScopeSet;
  readonly rateLimit: number;
  readonly teamId: string | null;
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly lastUsedAt: number | null;
  /**
   * Trust rule (which lets CI jobs sign in) that issued the token with which the key was created, or null if there is
   * none. The key is valid only while the rule exists and is not paused (contract 10.3).
   */
  readonly rule: RuleOrigin | null;
}

/** Query that selects a page of keys and tokens, newest first. */
interface ApiTokenPage {
  /** Current time (ms since 1970). Keys and tokens that have expired by this time are not selected. */
  readonly now: number;
  /**
   * Filter: part of the name (any case of the letters A to Z) or part of the owner's e-mail address (any letter case).
   */
  readonly search?: string | undefined;
  readonly kind?: ApiToken['kind'] | undefined;
  /** The last key or token on the previous page. Only those created before it are selected. */
  readonly before?: Pick<ApiToken, 'id' | 'createdAt'> | undefined;
  readonly limit: number;
}

export interface ApiTokenReader {
  /** Finds a key or token by the SHA-256 of its secret (hex). Revoked keys and tokens are not found. */
  byHash(hash: string): ApiToken | undefined;
  byId(id: string): ApiToken | undefined;
  /** Returns the keys and tokens of an owner, newest first. */
  listOf(ownerId: string): ApiToken[];
  /** Returns all keys and tokens, newest first. */
  listAll(): ApiToken[];
  page(page: ApiTokenPage): ApiToken[];
  /** Returns the number of Profile tokens of an owner that have not expired by `now` (ms since 1970). */
  countLiveProfileTokens(ownerId: string, now: number): number;
  /** Returns the number of keys and tokens that are bound to a team. */
  countOfTeam(teamId: string): number;
  /**
   * Returns at most `most` keys and tokens whose next expiry notice (a message to the owner) is due at `now` (ms since
   * 1970). They may have expired already. A token from a version without notices gets its first one 30 days before its
   * expiry.
   */
  withNoticeDue(now: number, most: number): ApiToken[];
  /**
   * Records in memory that a key or token was used. The database is updated some seconds later, so a crash may lose
   * uses. Needs no transaction.
   */
  touch(id: string, at: number): void;
}

export interface ApiTokenStore extends ApiTokenReader {
  /** Adds a key or token. Its first expiry notice is the first that is due after its creation (see `nextNoticeAt`). */
  insert(token: ApiToken, hash: string): void;
  /** Stores when the next expiry notice about a key or token is due (ms since 1970), or null if none follows. */
  setNextNotice(id: string, at: number | null): void;
  /**
   * Revokes a key or token.
   * @returns false if there is no such key or token
   */
  revoke(id: string): boolean;
  /**
   * Removes Profile tokens of an owner that have expired by `now` (ms since 1970), except the `keep` tokens that
   * expired last. One call removes a limited number of tokens.
   */
  removeExpiredProfileTokens(ownerId: string, now: number, keep: number): void;
  /**
   * Changes the rate limit of a key or token.
   * @returns false if there is no such key or token
   */
  setRateLimit(id: string, rateLimit: number): boolean;
}

/** The database record of a dashboard cookie (specification 2, Dashboard sign-in). */
export interface SignIn {
  readonly id: string;
  readonly accountId: string;
  readonly createdAt: number;
  readonly lastSeenAt: number;
  readonly expiresAt: number;
  readonly userAgent: string | null;
  /**
   * Scopes of a sign-in that was opened with a key or bearer token, or null if it has all scopes that the role allows.
   */
  readonly scopes: ScopeSet | null;
  /** Latest time (ms since 1970) to which using the sign-in can extend it, or null for no limit. */
  readonly until: number | null;
  /** Id of the API token that opened the sign-in, or null if none did. Revoking the token ends the sign-in. */
  readonly apiTokenId: string | null;
  /**
   * Id of the team to which the key that opened the sign-in is bound. Null if there is no such team, or if an earlier
   * version opened the sign-in and did not store it.
   */
  readonly teamId: string | null;
  /**
   * Time (ms since 1970) at which the person last authenticated, with a password, a passkey or a provider. Null if the
   * sign-in was opened with a key or bearer token, or if an earlier version of the server did not store the time.
   */
  readonly provenAt: number | null;
  /**
   * Trust rule (which lets CI jobs sign in) that issued the token with which the sign-in was opened, or null if there
   * is none. The sign-in is valid only while the rule exists and is not paused (contract 10.3).
   */
  readonly rule: RuleOrigin | null;
  /**
   * Ids of the chain of credentials that led to the sign-in, oldest first: the last one opened the sign-in, and each
   * one before it minted the next. A passkey is a chain of one. Empty if a person opened the sign-in in another way.
   */
  readonly openedWith: readonly string[];
}

export interface SignInReader {
  /** Finds a sign-in by the SHA-256 of its cookie (hex). */
  byHash(hash: string): SignIn | undefined;
  byId(id: string): SignIn | undefined;
  /** Returns the sign-ins of an account, newest first. */
  listOf(accountId: string): SignIn[];
  /** Extends a sign-in in memory. The database is updated some seconds later, as with `ApiTokenReader.touch`. */
  extend(id: string, lastSeenAt: number, expiresAt: number): void;
}

export interface SignInStore extends SignInReader {
  insert(signIn: SignIn, hash: string): void;
  /** Stores the time (ms since 1970) at which the person authenticated again, which makes the sign-in fresh. */
  prove(id: string, provenAt: number): void;
  /**
   * Ends a sign-in.
   * @returns false if there is no such sign-in
   */
  end(id: string): boolean;
  /**
   * Ends all sign-ins of an account except `exceptId`.
   * @returns the ids of the sign-ins that it ended
   */
  endAllOf(accountId: string, exceptId?: string): string[];
  removeExpired(now: number): void;
}

/** Record of a revoked signed token, key or sign-in. It is kept until every token that it revokes has expired. */
export interface Revocation {
  /** Claim `jti` of the revoked token, or id of the revoked key or sign-in. */
  readonly id: string;
  readonly accountId: string;
  /**
   * Whether the revocation also ends all tokens that were minted from the revoked credential, directly or through other
   * tokens.
   */
  readonly cascades: boolean;
  /**
   * Time (ms since 1970) after which the record may be removed, because every token that it ends has expired by then.
   */
  readonly expiresAt: number;
  /**
   * Id of the key or sign-in at the start of the chain of credentials that led to a revoked token, or of the account if
   * the token names none. Null for the record of a key, a sign-in, an agent or a group of tokens, and for records of
   * earlier versions.
   */
  readonly sourceId: string | null;
}

/** Number of records of an account. */
interface RevocationCount {
  /** Records of single tokens, which are those with a `sourceId`. */
  readonly tokens: number;
  /** Records of keys, sign-ins and agents. */
  readonly credentials: number;
}

/** Look-up of revoked ids, which every check of a signed token uses. */
export type RevocationLookup = Pick<RevocationReader, 'find'>;

export interface RevocationReader {
  /**
   * Returns the revocation of an id, or undefined if the id is not revoked. Reads from memory, because every check of a
   * signed token calls this method.
   */
  find(id: string): Pick<Revocation, 'cascades'> | undefined;
  all(): Revocation[];
  /** Returns the number of records of an account, without those of groups. */
  countOf(accountId: string): RevocationCount;
}

export interface RevocationStore extends RevocationReader {
  /**
   * Adds a record. If there is already a record with the same id, the two are merged: the later `expiresAt` is stored,
   * and `cascades` is true if it is true in one of them. A record that cascades removes the records of tokens that were
   * minted from the revoked credential (`sourceId`), because it ends these tokens, too.
   */
  add(revocation: Revocation): void;
  /**
   * Adds the record of a group of tokens, and removes the account's records of single tokens or, with `all`, all that are
   * not records of groups.
   */
  replaceAllOf(group: Revocation, replaced: 'tokens' | 'all'): void;
  removeExpired(now: number): void;
}

export interface ReplayReader {
  isSpent(id: string): boolean;
}

/**
 * Stores which single-use tokens and tickets (in URLs of streams and downloads) were used, also across a restart, so
 * that none is accepted twice (contract 4, tickets).
 */
export interface ReplayStore extends ReplayReader {
  /**
   * Marks an id as spent.
   * @param expiresAt time (ms since 1970) from which the mark may be removed, because the token has expired
   * @returns true if the id was not spent before
   */
  spend(id: string, expiresAt: number): boolean;
  removeExpired(now: number): void;
}
