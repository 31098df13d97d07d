import type { BearerAudience } from '@svc/contract';
import { Refusal } from '../errors.ts';
import type { AgentClaim, Caller } from '../principal.ts';

/** Limits that the body of `POST /auth/token` requests for an agent (an AI client that uses MCP). */
export interface AgentLimitsRequest {
  readonly sessions?: number | undefined;
  readonly minutes?: number | undefined;
}

export type Limits = Pick<AgentClaim, 'sessions' | 'minutes'>;

/**
 * Decides the limits of a new token. A limit that is not requested is copied from the token that makes the request.
 * Throws a refusal if the request asks for more than that token allows, or asks for limits but is not for the audience
 * `svc-mcp` (contract 12).
 */
export function grantedLimits(
  audience: BearerAudience,
  asked: AgentLimitsRequest | undefined,
  { credential: { agent } }: Pick<Caller, 'credential'>,
): Limits {
  if (asked !== undefined && audience !== 'svc-mcp') {
    const message = 'limits: only tokens of the audience svc-mcp have limits';
    throw new Refusal('bad_request', 'limits for another audience', { message });
  }
  return {
    sessions: atMost(asked?.sessions, agent?.sessions ?? null),
    minutes: atMost(asked?.minutes, agent?.minutes ?? null),
  };
}

function atMost(asked: number | undefined, most: number | null): number | null {
  if (asked === undefined) return most;
  if (most !== null && asked > most) {
    const message = `limits: at most ${most}, the limit of the token that asks`;
    throw new Refusal('limit_reached', 'limit beyond that of the agent', { message });
  }
  return asked;
}

/**
 * Throws a refusal if the caller is an agent (an AI client). Call it before creating something that would outlive the
 * agent or would not have its limits, such as a Profile token (contract 4).
 */
export function refuseAgents({ credential }: Pick<Caller, 'credential'>): void {
  if (credential.agent !== null) throw new Refusal('agents_mint_bearers_only', 'the caller is an agent');
}
