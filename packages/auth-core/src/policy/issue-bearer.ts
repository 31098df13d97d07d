import {
  type BearerAudience,
  isBearerAudience,
  isMcpScope,
  MCP_SCOPES,
  type McpScope,
  type Scope,
} from '@svc/contract';
import { Refusal } from '../errors.ts';
import type { Caller } from '../principal.ts';
import {
  allowedMcpScopes,
  apiScopesOfMcp,
  holds,
  type ScopeSet,
  scopeList,
  scopeSet,
  union,
} from '../scopes.ts';
import { heldMcpScopes } from './access.ts';
import { type AgentLimitsRequest, grantedLimits, type Limits } from './agent-limits.ts';

/** Rights of a new bearer token, decided before the token is signed. */
export interface BearerGrant {
  readonly audience: BearerAudience;
  /** Scopes in the response: API scopes for `svc-rest`, MCP scopes for `svc-mcp`. */
  readonly listed: readonly (Scope | McpScope)[];
  readonly apiScopes: ScopeSet;
  readonly mcpScopes: readonly McpScope[];
  /** Scopes of the session token in the response, or null if the response has none. */
  readonly sessionScopes: ScopeSet | null;
  /** Limits on the sessions of the agent (the AI client) that uses the token. */
  readonly limits: Limits;
}

export interface BearerRequest {
  readonly audience?: string | undefined;
  readonly scopes?: readonly string[] | undefined;
  /** Limits on the sessions of the agent (the AI client) that gets the token. Only for `svc-mcp`. */
  readonly limits?: AgentLimitsRequest | undefined;
}

/**
 * Decides what a bearer token may do (specification 5.3.1 and 5.3.4 to 5.3.6). For the audience `svc-rest`, requested
 * `scopes` are ignored. An empty list counts as if `scopes` were absent.
 */
export function bearerGrant(request: BearerRequest, caller: Caller): BearerGrant {
  const audience = request.audience ?? 'svc-rest';
  if (!isBearerAudience(audience)) throw new Refusal('unknown_audience');
  const limits = grantedLimits(audience, request.limits, caller);
  if (audience === 'svc-rest') {
    const { scopes } = caller;
    const listed = scopeList(scopes);
    return { audience, listed, apiScopes: scopes, mcpScopes: [], sessionScopes: null, limits };
  }
  const asked = request.scopes?.length ? [...new Set(request.scopes)] : undefined;
  const mcpScopes = mcpScopesFor(asked, caller);
  const requestedAll = asked !== undefined && mcpScopes.length === MCP_SCOPES.length;
  return {
    audience,
    listed: mcpScopes,
    apiScopes: apiScopesOfMcp(mcpScopes, caller.scopes, requestedAll),
    mcpScopes,
    sessionScopes: mcpScopes.includes('auto:use')
      ? sessionScopes(caller, asked === undefined || requestedAll)
      : null,
    limits,
  };
}

function mcpScopesFor(asked: readonly string[] | undefined, caller: Caller): McpScope[] {
  const held = heldMcpScopes(caller.credential);
  // An agent mints no token with other MCP scopes than its own (contract 4).
  const allowed = allowedMcpScopes(caller.scopes).filter((scope) => held?.includes(scope) !== false);
  if (asked === undefined) {
    const granted = allowed.filter((scope) => scope === 'auto:use' || scope === 'svc:devices:read');
    if (granted.length === 0) throw new Refusal('scope_exceeds_key', 'nothing left to grant', { scopes: [] });
    return granted;
  }
  const unknown = asked.filter((scope) => !isMcpScope(scope));
  if (unknown.length > 0) throw new Refusal('unknown_scope', 'unknown MCP scope', { scopes: unknown });
  const beyond = asked.filter((scope) => !allowed.includes(scope as McpScope));
  if (beyond.length > 0)
    throw new Refusal('scope_exceeds_key', 'MCP scope beyond the credential', { scopes: beyond });
  return MCP_SCOPES.filter((scope) => asked.includes(scope));
}

/**
 * @returns the scopes of a session token (specification 2, Session token). The token has the scope `sessions`. It also
 * has the scope `admin` if the caller has that scope and requested either all five MCP scopes or no scopes at all.
 */
function sessionScopes(caller: Caller, wholesale: boolean): ScopeSet {
  const sessions = scopeSet(['sessions']);
  return wholesale && holds(caller.scopes, 'admin') ? union(sessions, scopeSet(['admin'])) : sessions;
}
