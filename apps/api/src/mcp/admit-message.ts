import { type Caller, NO_CREDENTIAL, Refusal } from '@svc/auth-core';
import { HEADERS, MCP_SCOPES, type McpScope } from '@svc/contract';
import { type Agent, factsOf } from '@svc/mcp';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { limitRate } from '../admission/guard.ts';
import type { HttpContext } from '../http/http-context.ts';

const FORWARDED = ['authorization', 'x-forwarded-for', 'x-forwarded-proto', 'user-agent'];

/**
 * Returns the MCP scopes of a caller whom the guard has admitted to the MCP server: those of the bearer token, or all
 * of them while sign-in is off.
 */
export function scopesOf({ credential }: Caller): readonly McpScope[] {
  return credential === NO_CREDENTIAL ? MCP_SCOPES : (credential.mcpScopes ?? []);
}

/**
 * Refuses a message if the agent exceeds the rate limit, or lacks the scope of the tool that the message calls
 * (contract 12).
 */
export function admitMessage(
  { caller }: FastifyRequest,
  message: unknown,
  reply: FastifyReply,
  context: HttpContext,
): void {
  const { scope, category } = factsOf(message);
  limitRate(caller, reply, context, category);
  if (scope !== null && !scopesOf(caller).includes(scope))
    throw new Refusal('insufficient_scope', `MCP scope ${scope}`, { required: scope });
}

/**
 * @returns the parts of the agent's request that a tool's WebDriver requests reuse: bearer token, address and request id
 */
export function forwarded({ headers, id, raw }: FastifyRequest): Pick<Agent, 'headers' | 'peer'> {
  const kept: Record<string, string> = { [HEADERS.requestId]: id };
  for (const name of FORWARDED) {
    const value = headers[name];
    if (typeof value === 'string') kept[name] = value;
  }
  return { headers: kept, peer: raw.socket.remoteAddress };
}

/**
 * @returns the request in the form that the MCP library reads, without its body. The library refuses clients that do
 * not accept both JSON and event streams, so the client's header `Accept` is replaced. Every response is a single JSON
 * body, whatever the client accepts.
 */
export function asFetch({ headers }: FastifyRequest): Request {
  const kept = new Headers({ accept: 'application/json, text/event-stream' });
  for (const [name, value] of Object.entries(headers))
    if (typeof value === 'string' && (name === 'content-type' || name.startsWith('mcp-')))
      kept.set(name, value);
  return new Request('http://localhost/svc/mcp', { method: 'POST', headers: kept });
}
