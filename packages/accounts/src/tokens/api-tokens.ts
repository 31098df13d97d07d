import {
  type ApiToken,
  actorOf,
  type Caller,
  type Cascade,
  checkAccess,
  credentialOf,
  mayActOn,
  NO_SCOPES,
  newTokenSecret,
  Refusal,
  refuseAgents,
  secretHash,
  type Team,
  TokenMakingLimit,
} from '@svc/auth-core';
import { SUPER_ADMIN } from '@svc/contract';
import { mapped } from '@svc/module';
import type { AccountTransaction } from '../ports/stores.ts';
import type { AccountTools } from '../ports/tools.ts';
import { checkName } from '../rules/name.ts';
import { inSteps, pageSize } from '../rules/pages.ts';
import { unusedSince } from '../token-notices/notice-times.ts';
import { grantedExpiry } from './granted-expiry.ts';
import { apiKeyScopes, checkRateLimit, profileTokenScopes } from './issue-api-token.ts';

/** Requests per minute of a new key or token whose request names no limit (specification 2, Token). */
const DEFAULT_RATE_LIMIT = 300;
/**
 * Maximum number of unexpired Profile tokens per account (contract 4). It is also the number of expired Profile tokens
 * per account that are kept, so that their owner can still list them. Tokens that expired earlier are removed.
 */
const MOST_PROFILE_TOKENS = 500;

export interface NewProfileToken {
  readonly name: string;
  readonly scopes?: readonly string[] | undefined;
  readonly expiresAt?: string | null | undefined;
}

export interface NewApiKey extends NewProfileToken {
  /**
   * Kind of the key, `api-key` by default. A `scim` key has no scopes and no team, so the fields for these are ignored.
   */
  readonly kind?: 'api-key' | 'scim' | undefined;
  readonly rateLimit?: number | undefined;
  readonly teamId?: string | null | undefined;
}

/** A new key or token with its secret. The server never returns the secret again, because only its hash is stored. */
export interface IssuedApiToken {
  readonly token: ApiToken;
  readonly secret: string;
}

/** A key or token with the time since which it is unused (see `unusedSince`). */
interface ListedApiToken extends ApiToken {
  readonly unusedSince: number | null;
}

/** A key or token with its owner and team. */
export interface OwnedApiToken extends ListedApiToken {
  readonly owner: { readonly id: string; readonly email: string };
  readonly team: Team | null;
}

interface ApiTokenPage {
  /** Filter: part of the name, or part of the owner's e-mail address. */
  readonly search?: string | undefined;
  readonly kind?: ApiToken['kind'] | undefined;
  readonly before?: string | undefined;
  readonly limit?: number | undefined;
}

interface RevokeOptions {
  /** Whether the revocation also ends the bearer and session tokens minted from the key (contract 10.4). */
  readonly cascade?: boolean;
}

interface Tools extends Pick<AccountTools, 'stores' | 'clock' | 'random' | 'audit'> {
  readonly cascade: Cascade;
}

/** Lists, creates and revokes API keys and Profile tokens (tokens that users make on their Profile page). */
export class ApiTokens {
  readonly #tools: Tools;
  readonly #making: TokenMakingLimit;

  constructor(tools: Tools) {
    this.#tools = tools;
    this.#making = new TokenMakingLimit(tools.clock);
  }

  /** Lists the caller's Profile tokens, newest first. Includes expired tokens, whose field `expired` is true. */
  listOwn(caller: Caller): (ListedApiToken & { readonly expired: boolean })[] {
    const now = this.#tools.clock.now();
    return this.#tools.stores.apiTokens
      .listOf(caller.account.id)
      .filter(({ kind }) => kind === 'profile')
      .map((token) => ({ ...token, expired: hasExpired(token, now), unusedSince: unusedSince(token, now) }));
  }

  /**
   * Reads all keys and tokens of the lab that have not expired, newest first (contract 2). They are read when they are
   * requested, and an undefined item marks a step after which other requests may run.
   */
  read(_caller: Caller): Iterable<OwnedApiToken | undefined> {
    const now = this.#tools.clock.now();
    const read = (before: ApiToken | undefined, limit: number) =>
      this.#tools.stores.apiTokens.page({ now, before, limit });
    return mapped(inSteps(read), (token) => this.#withOwner(token));
  }

  /**
   * Returns a page of the keys and tokens that `read` reads. `before` is the id of a key or token: the page contains
   * only those created before it.
   */
  page(_caller: Caller, { search, kind, before, limit }: ApiTokenPage): Iterable<OwnedApiToken | undefined> {
    const { apiTokens } = this.#tools.stores;
    const last = before === undefined ? undefined : apiTokens.byId(before);
    if (before !== undefined && last === undefined)
      throw new Refusal('bad_request', 'no such key', { message: 'before: is not a key or token' });
    const now = this.#tools.clock.now();
    const page = { now, search, kind, before: last, limit: pageSize(limit) };
    return mapped(apiTokens.page(page), (token) => this.#withOwner(token));
  }

  /**
   * Creates a Profile token for `POST /profile/tokens` (specification 5.2). If the caller's credential is bound to a
   * team, the new token is bound to the same team.
   */
  createProfileToken(caller: Caller, input: NewProfileToken): IssuedApiToken {
    refuseAgents(caller);
    this.#making.take(caller.account.id);
    const name = checkName(input.name);
    const scopes = profileTokenScopes(input.scopes, caller);
    const expiresAt = grantedExpiry(input.expiresAt, caller, this.#tools.clock.now());
    return this.#issue(caller, {
      kind: 'profile',
      name,
      scopes,
      expiresAt,
      rateLimit: DEFAULT_RATE_LIMIT,
      teamId: caller.teamId,
    });
  }

  /** Creates an API key for `POST /apikeys` (specification 2, API key). */
  createApiKey(caller: Caller, input: NewApiKey): IssuedApiToken {
    refuseAgents(caller);
    if (input.kind === 'scim') return this.#createScimKey(caller, input);
    this.#making.take(caller.account.id);
    const name = checkName(input.name);
    const scopes = apiKeyScopes(input.scopes ?? [], caller);
    const expiresAt = grantedExpiry(input.expiresAt, caller, this.#tools.clock.now());
    const rateLimit = checkRateLimit(input.rateLimit ?? DEFAULT_RATE_LIMIT);
    const teamId = input.teamId ?? caller.teamId;
    if (teamId !== null && this.#tools.stores.teams.byId(teamId) === undefined)
      throw new Refusal('unknown_team');
    if (caller.teamId !== null && teamId !== caller.teamId) {
      throw new Refusal('unknown_team', 'the credential is bound to another team');
    }
    return this.#issue(caller, {
      kind: 'api-key',
      name,
      scopes,
      expiresAt,
      rateLimit,
      teamId,
    });
  }

  /** Creates a key for an identity provider, without scopes; only SCIM accepts it (contract 10.5). */
  #createScimKey(caller: Caller, input: NewApiKey): IssuedApiToken {
    checkAccess(caller, SUPER_ADMIN);
    this.#making.take(caller.account.id);
    return this.#issue(caller, {
      kind: 'scim',
      name: checkName(input.name),
      scopes: NO_SCOPES,
      expiresAt: grantedExpiry(input.expiresAt, caller, this.#tools.clock.now()),
      rateLimit: checkRateLimit(input.rateLimit ?? DEFAULT_RATE_LIMIT),
      teamId: null,
    });
  }

  /**
   * Revokes a Profile token of the caller. A token of another account is refused like an unknown token, so that the
   * response does not show whether it exists.
   */
  revokeOwn(caller: Caller, id: string, options: RevokeOptions = {}): void {
    this.#revoke(caller, this.#own(caller, id), options);
  }

  /** Revokes any key or token. An Admin cannot revoke those of other Admins and Super admins (contract 2, 3.6). */
  revokeAny(caller: Caller, id: string, options: RevokeOptions = {}): void {
    this.#revoke(caller, this.#manageable(caller, id), options);
  }

  /** Changes the rate limit of a key or token. The new limit applies from its next request. */
  changeRateLimit(caller: Caller, id: string, rateLimit: number): OwnedApiToken {
    const token = this.#manageable(caller, id);
    checkRateLimit(rateLimit);
    this.#tools.stores.transaction((tx) => {
      if (!tx.apiTokens.setRateLimit(id, rateLimit)) throw new Refusal('not_found');
      this.#tools.audit.record(tx, 'authz_admin', {
        ...actorOf(caller),
        target: id,
        reason: `rate limit ${token.rateLimit} to ${rateLimit}`,
      });
    });
    return this.#withOwner({ ...token, rateLimit });
  }

  /** Throws a refusal if the key or token is unknown, or if the caller is not allowed to see and revoke it. */
  checkReach(caller: Caller, id: string): void {
    this.#manageable(caller, id);
  }

  /** Throws a refusal unless `id` is the id of a token that the caller created with `POST /profile/tokens`. */
  checkOwn(caller: Caller, id: string): void {
    this.#own(caller, id);
  }

  #own(caller: Caller, id: string): ApiToken {
    const token = this.#tools.stores.apiTokens.byId(id);
    if (token === undefined || token.ownerId !== caller.account.id || token.kind !== 'profile')
      throw new Refusal('not_found');
    return token;
  }

  #withOwner(token: ApiToken): OwnedApiToken {
    const { accounts, teams } = this.#tools.stores;
    const owner = { id: token.ownerId, email: accounts.byId(token.ownerId)?.email ?? '' };
    const team = token.teamId === null ? null : (teams.byId(token.teamId) ?? null);
    return { ...token, owner, team, unusedSince: unusedSince(token, this.#tools.clock.now()) };
  }

  /**
   * @returns the token. If the caller is not allowed to see and revoke it, throws the same refusal as for an unknown
   * token, so that the response does not show whether the token exists.
   */
  #manageable(caller: Caller, id: string): ApiToken {
    const token = this.#tools.stores.apiTokens.byId(id);
    const owner = token === undefined ? undefined : this.#tools.stores.accounts.byId(token.ownerId);
    if (token === undefined || owner === undefined || !mayActOn(caller, owner, { self: true })) {
      throw new Refusal('not_found');
    }
    return token;
  }

  #issue(
    caller: Caller,
    made: Pick<ApiToken, 'kind' | 'name' | 'scopes' | 'expiresAt' | 'rateLimit' | 'teamId'>,
  ): IssuedApiToken {
    const secret = newTokenSecret(this.#tools.random);
    const token: ApiToken = {
      ...made,
      id: this.#tools.random.uuid(),
      ownerId: caller.account.id,
      createdAt: this.#tools.clock.now(),
      lastUsedAt: null,
      rule: caller.credential.rule,
    };
    this.#tools.stores.transaction((tx) => {
      if (token.kind === 'profile') makeRoom(tx, token);
      tx.apiTokens.insert(token, secretHash(secret));
      const reason = `${made.kind}, made with ${credentialOf(caller)}`;
      this.#tools.audit.record(tx, 'authn_token_created', { ...actorOf(caller), target: token.id, reason });
    });
    return { token, secret };
  }

  #revoke(caller: Caller, token: ApiToken, { cascade = false }: RevokeOptions): void {
    this.#tools.stores.transaction((tx) => {
      if (!tx.apiTokens.revoke(token.id)) throw new Refusal('not_found');
      const ended = this.#tools.cascade.keyRevoked(tx, token, cascade);
      const reason = ended ? 'with the tokens minted from it' : null;
      this.#tools.audit.record(tx, 'authn_token_revoked', { ...actorOf(caller), target: token.id, reason });
    });
  }
}

/**
 * Throws a refusal if the account has `MOST_PROFILE_TOKENS` unexpired Profile tokens. Otherwise removes the oldest
 * expired ones beyond that number. Call it in the transaction of the insert, so that simultaneous requests cannot
 * exceed the limit together.
 */
function makeRoom({ apiTokens }: AccountTransaction, { ownerId, createdAt: now }: ApiToken): void {
  if (apiTokens.countLiveProfileTokens(ownerId, now) >= MOST_PROFILE_TOKENS) {
    throw new Refusal('too_many_tokens', 'too many live Profile tokens', { limit: MOST_PROFILE_TOKENS });
  }
  apiTokens.removeExpiredProfileTokens(ownerId, now, MOST_PROFILE_TOKENS);
}

function hasExpired({ expiresAt }: ApiToken, now: number): boolean {
  return expiresAt !== null && now >= expiresAt;
}
