import type { Authenticator, Caller, Claims, PresentedCredentials, TokenSigner } from '@svc/auth-core';
import { holds, isGroup, isTokenSecret, pairOf, readHeader, scopeList, secretHash } from '@svc/auth-core';
import { type Audience, isAtLeast, LEASE_TOKEN_PREFIX } from '@svc/contract';
import type { AccountStores } from '../ports/stores.ts';

/** Response about a token (RFC 7662 2.2). Times are in seconds since 1970. */
export type Introspection =
  | { readonly active: false }
  | {
      readonly active: true;
      readonly scope: string;
      /**
       * Id of the key or sign-in from which the token was minted, directly or through other tokens. If the token is
       * itself a key, its own id. If it is a session token and there is no such key or sign-in, as for a CI job, the id
       * of the bearer token that was issued with it. Absent if there is no such token either.
       */
      readonly client_id?: string;
      readonly username: string;
      readonly token_type: string;
      readonly exp?: number;
      readonly iat: number;
      readonly sub: string;
      readonly aud?: Audience;
      readonly iss?: string;
      readonly jti: string;
    };

/** A valid lease and the account that holds it. Times are ms since 1970. */
interface IntrospectedLease {
  readonly lease: { readonly id: string; readonly createdAt: number; readonly expiresAt: number };
  readonly owner: { readonly id: string; readonly email: string };
}

interface Tools {
  readonly stores: AccountStores;
  readonly signer: TokenSigner;
  readonly authenticator: Pick<Authenticator, 'inspect'>;
  /** Returns the valid lease whose token has this SHA-256 digest (hex). */
  readonly leaseOf: (hash: string) => IntrospectedLease | undefined;
}

/**
 * Response for a token that is unknown, expired, revoked or owned by another account. All four get the same response,
 * so that a caller cannot tell them apart.
 */
const INACTIVE: Introspection = { active: false };
const NO_HEADERS = {};
/** Value of `token_type` for a token that is not an access token (RFC 8693 2.2.1). */
const NOT_ACCESS = 'N_A';

/**
 * Reports whether a token is valid now (RFC 7662, contract 10.4). Admins with the scope `admin` can check every token,
 * all other callers only the tokens of their own account.
 */
export class IntrospectToken {
  readonly #tools: Tools;

  constructor(tools: Tools) {
    this.#tools = tools;
  }

  /** Returns the state of a token. Rejects with `Unavailable` if the token cannot be checked. */
  async introspect(caller: Caller, secret: string): Promise<Introspection> {
    if (isTokenSecret(secret)) return this.#key(caller, secret);
    if (isTokenSecret(secret, LEASE_TOKEN_PREFIX)) return this.#lease(caller, secret);
    return readHeader(secret) === undefined ? INACTIVE : this.#signed(caller, secret);
  }

  async #key(caller: Caller, secret: string): Promise<Introspection> {
    const { accounts, apiTokens } = this.#tools.stores;
    const token = apiTokens.byHash(secretHash(secret));
    const accessKey = token && accounts.byId(token.ownerId)?.accessKey;
    if (token === undefined || accessKey === undefined) return INACTIVE;
    const valid = await this.#valid(caller, pairOf({ accessKey, token: secret }));
    if (valid === undefined) return INACTIVE;
    return {
      active: true,
      scope: scopeList(valid.scopes).join(' '),
      client_id: token.id,
      username: valid.account.email,
      token_type: NOT_ACCESS,
      ...(token.expiresAt === null ? {} : { exp: Math.floor(token.expiresAt / 1000) }),
      iat: Math.floor(token.createdAt / 1000),
      sub: token.ownerId,
      jti: token.id,
    };
  }

  /**
   * Describes the token of a lease. It has no scopes, because it can only be used to create sessions on the leased
   * device.
   */
  #lease(caller: Caller, secret: string): Introspection {
    const found = this.#tools.leaseOf(secretHash(secret));
    if (found === undefined || !maySee(caller, found.owner.id)) return INACTIVE;
    const { lease, owner } = found;
    return {
      active: true,
      scope: '',
      username: owner.email,
      token_type: NOT_ACCESS,
      exp: Math.floor(lease.expiresAt / 1000),
      iat: Math.floor(lease.createdAt / 1000),
      sub: owner.id,
      jti: lease.id,
    };
  }

  async #signed(caller: Caller, secret: string): Promise<Introspection> {
    const claims = this.#tools.signer.verify(secret, ['svc-rest', 'svc-mcp', 'svc-session']);
    if (typeof claims === 'string') return INACTIVE;
    const isSession = claims.aud === 'svc-session';
    const presented: PresentedCredentials = isSession
      ? { headers: NO_HEADERS, cookie: undefined, sessionToken: secret }
      : { headers: { authorization: `Bearer ${secret}` }, cookie: undefined };
    const valid = await this.#valid(caller, presented);
    if (valid === undefined) return INACTIVE;
    const { exp, iat, sub, aud, iss, jti, parents = [] } = claims;
    const source = parents.find((id) => !isGroup(id));
    return {
      active: true,
      scope: scopeOf(claims, valid),
      ...(source === undefined ? {} : { client_id: source }),
      username: valid.account.email,
      token_type: isSession ? NOT_ACCESS : 'Bearer',
      ...{ exp, iat, sub, aud, iss, jti },
    };
  }

  async #valid(caller: Caller, presented: PresentedCredentials): ReturnType<Authenticator['inspect']> {
    const valid = await this.#tools.authenticator.inspect(presented, caller.from);
    return valid !== undefined && maySee(caller, valid.account.id) ? valid : undefined;
  }
}

function maySee({ account, scopes }: Caller, ownerId: string): boolean {
  return account.id === ownerId || (isAtLeast(account.role, 'Admin') && holds(scopes, 'admin'));
}

/**
 * @returns the scopes of a token: for an `svc-mcp` token its MCP scopes, for any other token those of its API scopes
 * that the role of its owner allows now
 */
function scopeOf({ aud, scope = '' }: Claims, { scopes }: Pick<Caller, 'scopes'>): string {
  return aud === 'svc-mcp' ? scope : scopeList(scopes).join(' ');
}
