import { ANY_CALLER, type McpScope, REMOTE_CONTROL, type Scope } from '@svc/contract';
import { type Audit, actorOf, credentialOf } from '../audit.ts';
import { agentClaims, agentOf } from '../credentials/agent-claim.ts';
import { currentAgentGroup } from '../credentials/agent-group.ts';
import { withBearerGroup } from '../credentials/bearer-group.ts';
import { lineageOf } from '../credentials/lineage.ts';
import { ruleClaims } from '../credentials/rule-origin.ts';
import { sourceClaims } from '../credentials/source-sign-in.ts';
import { Refusal } from '../errors.ts';
import type { TokenMakingLimit } from '../limits/token-making.ts';
import { heldMcpScopes } from '../policy/access.ts';
import { type BearerRequest, bearerGrant } from '../policy/issue-bearer.ts';
import type { Stores } from '../ports/index.ts';
import type { Caller } from '../principal.ts';
import { holds, scopeList } from '../scopes.ts';
import type { Grant, TokenSigner } from '../tokens/signer.ts';
import { type Reauthorizing, reauthorize } from './reauthorize.ts';

/** Lifetime of an `svc-rest` token in seconds (specification 5.3). */
const REST_TOKEN_LIFETIME = 3600;
/**
 * Lifetime in seconds of the session token with which the dashboard starts a session: one minute for the create-session
 * request to arrive, and the longest time for which the request may wait for a phone (contract 13).
 */
const PAGE_SESSION_TOKEN_LIFETIME = 60 + 600;

export interface IssuedBearer {
  readonly token: string;
  /** Lifetime of the token in seconds. */
  readonly expiresIn: number;
  readonly audience: string;
  readonly scopes: readonly (Scope | McpScope)[];
  readonly sessionToken?: string;
  readonly id: string;
}

interface Tools extends Reauthorizing {
  readonly stores: Stores;
  readonly audit: Audit;
  readonly signer: TokenSigner;
  /** Lifetime of an `svc-mcp` token in seconds. */
  readonly mcpLifetime: number;
  /** Limit of bearer tokens and tickets per account, or absent for no limit. */
  readonly minting?: Pick<TokenMakingLimit, 'take'>;
}

/** Mints bearer tokens with any credential. A token never has more rights than the credential (specification 5.3). */
export class IssueBearer {
  readonly #tools: Tools;

  constructor(tools: Tools) {
    this.#tools = tools;
  }

  /**
   * Issues a token for `POST /auth/token`. Checks the policy, signs the token, and checks the caller again before it
   * returns the token. Throws a refusal if the policy does not allow the token, and `Unavailable` if there is no
   * signing key.
   */
  async issue(caller: Caller, request: BearerRequest): Promise<IssuedBearer> {
    const { stores, audit, minting } = this.#tools;
    minting?.take(caller.account.id);
    const issued = await mint(caller, request, this.#tools);
    const reason = `${issued.audience}, made with ${credentialOf(caller)}`;
    stores.transaction((tx) =>
      audit.recordOften(tx, 'authn_token_created', { ...actorOf(caller), target: issued.id, reason }),
    );
    return issued;
  }

  /**
   * Mints a session token for a session that an agent starts with an MCP tool. The session token ends with the caller's
   * `svc-mcp` token and has only the scope `sessions`. Throws a refusal if the caller lacks that scope.
   */
  async sessionToken(caller: Caller): Promise<string> {
    const { token } = await this.#mintSessionToken(caller, this.#tools.mcpLifetime);
    return token;
  }

  /**
   * Issues a session token for a session that a person starts on the page of a phone. The token is valid for 11 minutes
   * and has only the scope `sessions`. Throws `sign_in_required` if the caller's sign-in was opened with a key or
   * token. Otherwise an agent could open such a sign-in and start sessions that do not count as sessions of the agent.
   */
  async sessionTokenOfPage(caller: Caller): Promise<{ sessionToken: string; expiresIn: number }> {
    const { stores, audit } = this.#tools;
    if (!caller.credential.isPerson)
      throw new Refusal('sign_in_required', 'the sign-in was opened with a key or token');
    const { token, claims } = await this.#mintSessionToken(caller, PAGE_SESSION_TOKEN_LIFETIME);
    reauthorize(caller, REMOTE_CONTROL, this.#tools);
    const reason = `svc-session, made with ${credentialOf(caller)}`;
    stores.transaction((tx) =>
      audit.record(tx, 'authn_token_created', { ...actorOf(caller), target: claims.jti, reason }),
    );
    return { sessionToken: token, expiresIn: claims.exp - claims.iat };
  }

  async #mintSessionToken(caller: Caller, lifetime: number) {
    if (!holds(caller.scopes, 'sessions')) throw new Refusal('insufficient_scope', 'no scope sessions');
    const life = { until: caller.grantsUntil, lifetime };
    if (this.#tools.signer.lifetimeOf(life) < 1) throw new Refusal('expiry_exceeds_credential');
    return await this.#tools.signer.mint({
      ...parentClaims(caller, this.#tools.stores),
      ...agentClaims(caller.credential.agent),
      ...life,
      aud: 'svc-session',
      scopes: ['sessions'],
    });
  }
}

/** @returns the claims that a new token inherits from the credential with which it is minted */
function parentClaims(caller: Caller, { revocations }: Pick<Stores, 'revocations'>) {
  return {
    sub: caller.account.id,
    ...sourceClaims(caller),
    ...ruleClaims(caller),
    parents: withBearerGroup(lineageOf(caller.credential), revocations, caller.account.id),
    ...(caller.teamId === null ? {} : { team: caller.teamId }),
  };
}

async function mint(caller: Caller, request: BearerRequest, tools: Tools): Promise<IssuedBearer> {
  const granted = bearerGrant(request, caller);
  const { agent } = caller.credential;
  const own = parentClaims(caller, tools.stores);
  const isNewAgent = granted.audience === 'svc-mcp' && agent === null;
  const shared = {
    ...own,
    parents: isNewAgent ? [...own.parents, currentAgentGroup(tools.stores.revocations)] : own.parents,
    until: caller.grantsUntil,
    lifetime: granted.audience === 'svc-rest' ? REST_TOKEN_LIFETIME : tools.mcpLifetime,
  };
  if (tools.signer.lifetimeOf(shared) < 1) throw new Refusal('expiry_exceeds_credential');
  const bearer: Grant = {
    ...shared,
    ...agentClaims(
      isNewAgent || agent !== null
        ? { id: agent?.id ?? null, ...granted.limits, mcpScopes: heldMcpScopes(caller.credential) ?? [] }
        : null,
    ),
    aud: granted.audience,
    scopes: scopeList(granted.apiScopes),
  };
  const { token, claims } = await tools.signer.mint(
    granted.audience === 'svc-mcp' ? { ...bearer, scope: granted.mcpScopes.join(' ') } : bearer,
  );
  const session =
    granted.sessionScopes === null
      ? null
      : await tools.signer.mint({
          ...shared,
          ...agentClaims(agentOf(claims)),
          // Make the bearer token a parent of the session token. If the revocation of the bearer token also ends the
          // tokens minted from it, the session token then ends, too.
          parents: [...shared.parents, claims.jti],
          aud: 'svc-session',
          scopes: scopeList(granted.sessionScopes),
        });
  reauthorize(caller, ANY_CALLER, tools);
  return {
    token,
    expiresIn: claims.exp - claims.iat,
    audience: granted.audience,
    scopes: granted.listed,
    id: claims.jti,
    ...(session === null ? {} : { sessionToken: session.token }),
  };
}
