import { isMcpScope, type McpScope } from '@svc/contract';
import type { AgentClaim } from '../principal.ts';
import type { Claims } from '../tokens/claims.ts';

/**
 * @returns the agent that a token belongs to, which is a client with an `svc-mcp` token. Null if neither the token nor
 * any token from which it was minted is an `svc-mcp` token.
 */
export function agentOf(claims: Pick<Claims, 'aud' | 'jti' | 'agent' | 'scope'>): AgentClaim | null {
  const { aud, jti, agent } = claims;
  if (agent === undefined && aud !== 'svc-mcp') return null;
  const { id = jti, sessions = null, minutes = null, mcp = [] } = agent ?? {};
  return { id, sessions, minutes, mcpScopes: mcpScopesOf(claims) ?? mcp.filter(isMcpScope) };
}

/** @returns the MCP scopes of an `svc-mcp` token, or null for a token of another audience */
export function mcpScopesOf({ aud, scope = '' }: Pick<Claims, 'aud' | 'scope'>): readonly McpScope[] | null {
  return aud === 'svc-mcp' ? scope.split(' ').filter(isMcpScope) : null;
}

/** An agent whose id is null until its `svc-mcp` token is minted, because the id is that token's `jti`. */
type MintedAgent = Omit<AgentClaim, 'id'> & { readonly id: string | null };

/**
 * @returns the claim `agent` of a token that belongs to an agent, or no claim for any other token. It names the MCP
 * scopes unless the token is the agent's first, which has them in its claim `scope`.
 */
export function agentClaims(agent: MintedAgent | null): Pick<Claims, 'agent'> {
  if (agent === null) return {};
  const { id, sessions, minutes, mcpScopes } = agent;
  const claim = {
    ...(id === null ? {} : { id, mcp: mcpScopes }),
    ...(sessions === null ? {} : { sessions }),
    ...(minutes === null ? {} : { minutes }),
  };
  return Object.keys(claim).length === 0 ? {} : { agent: claim };
}
