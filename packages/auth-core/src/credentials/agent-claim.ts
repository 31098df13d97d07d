import type { AgentClaim } from '../principal.ts';
import type { Claims } from '../tokens/claims.ts';

/**
 * @returns the agent that a token belongs to, which is a client with an `svc-mcp` token. Null if neither the token nor
 * any token from which it was minted is an `svc-mcp` token.
 */
export function agentOf({ aud, jti, agent }: Pick<Claims, 'aud' | 'jti' | 'agent'>): AgentClaim | null {
  if (agent === undefined && aud !== 'svc-mcp') return null;
  const { id = jti, sessions = null, minutes = null } = agent ?? {};
  return { id, sessions, minutes };
}

/** An agent whose id is null until its `svc-mcp` token is minted, because the id is that token's `jti`. */
type MintedAgent = Omit<AgentClaim, 'id'> & { readonly id: string | null };

/** @returns the claim `agent` of a token that belongs to an agent, or no claim for any other token */
export function agentClaims(agent: MintedAgent | null): Pick<Claims, 'agent'> {
  if (agent === null) return {};
  const { id, sessions, minutes } = agent;
  const claim = {
    ...(id === null ? {} : { id }),
    ...(sessions === null ? {} : { sessions }),
    ...(minutes === null ? {} : { minutes }),
  };
  return Object.keys(claim).length === 0 ? {} : { agent: claim };
}
