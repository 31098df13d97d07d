import type { BearerAudience } from '@svc/contract';
import { Refusal } from '../errors.ts';
import type { AgentClaim, Caller } from '../principal.ts';

/** Limits that the body of `POST /auth/token` requests for an agent (an AI client that uses MCP). */
export interface AgentLimitsRequest {
  readonly sessions?: number | undefined;
  readonly minutes?: number | undefined;
}

type Limits = Omit<AgentClaim, 'id'>;

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
 * Throws a refusal if the caller is an agent (an AI client) with limits. Call it before creating a credential that
 * would not have these limits, such as a Profile token.
 */
export function checkUnlimited({ credential: { agent } }: Pick<Caller, 'credential'>): void {
  if (agent === null || (agent.sessions === null && agent.minutes === null)) return;
  const message =
    'A token with limits creates no other credentials than bearer tokens, which have its limits.';
  throw new Refusal('limit_reached', 'agent with limits', { message });
}
