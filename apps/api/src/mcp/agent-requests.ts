import { type Admitted, isOwnName, originRefusal, RateLimitExceeded, Refusal } from '@svc/auth-core';
import { HEADERS, MCP_SCOPES, type McpScope } from '@svc/contract';
import { type Agent, challenge, factsOf } from '@svc/mcp';
import { identityUrl } from '@svc/settings';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { HttpContext } from '../http/http-context.ts';
import { implicitAdmin } from '../http/implicit-admin.ts';
import { LazyRequestOrigin } from '../plugins/request-origin.ts';

const FORWARDED = ['authorization', 'x-forwarded-for', 'x-forwarded-proto', 'user-agent'];

/** Origin of an agent's request, which makes the audit trail record that the event came through MCP (contract 12). */
export class AgentRequestOrigin extends LazyRequestOrigin {
  override get via(): 'mcp' {
    return 'mcp';
  }
}

/** An agent whose bearer token was verified. */
export interface ProvenAgent {
  readonly caller: Admitted;
  readonly scopes: readonly McpScope[];
}

/**
 * Checks each request to the MCP server: first its origin, then its credential, and then, for each message, the scope
 * of the called tool and the rate limit (contract 12).
 */
export class AgentRequests {
  readonly #context: HttpContext;

  constructor(context: HttpContext) {
    this.#context = context;
  }

  /**
   * Refuses a request that a page of another site sends. Browsers always add the header `Origin` to such requests, so a
   * request without it is accepted.
   */
  checkOrigin({ headers }: FastifyRequest): void {
    const { config } = this.#context.services;
    const { allowedOrigins, publicUrl } = config;
    const { origin, host } = headers;
    if (origin === undefined || origin === publicUrl) return;
    const facts = { method: 'POST', host, origin, referer: undefined, carriesOwnCredential: false };
    const secFetchSite = headers['sec-fetch-site'] as string | undefined;
    const refusal = originRefusal({ ...facts, secFetchSite }, allowedOrigins);
    if (refusal !== null) throw new Refusal(refusal);
    if (!allowedOrigins.lists(origin) && !isOwnName(host, publicUrl)) {
      throw new Refusal('CSRF: Origin/Referer mismatch', 'the Host header is no known name of this server');
    }
  }

  /**
   * Verifies the bearer token of a request, which must have the audience `svc-mcp`; cookies and key pairs are not
   * accepted. If the request is refused, sets the header `WWW-Authenticate` (RFC 6750, RFC 9728).
   */
  async prove(request: FastifyRequest, reply: FastifyReply): Promise<ProvenAgent> {
    const { services } = this.#context;
    if (services.config.authDisabled)
      return { caller: implicitAdmin(services, request.from), scopes: MCP_SCOPES };
    const { authorization } = request.headers;
    try {
      if (isDoubled(request)) throw new Refusal('invalid token', 'two Authorization headers');
      const presented = { headers: { authorization }, cookie: undefined };
      const caller = await services.authenticator.authenticate(presented, request.from);
      const { mcpScopes } = caller.credential;
      if (mcpScopes === null) throw new Refusal('invalid token', 'bearer token: not for agents');
      return { caller, scopes: mcpScopes };
    } catch (error) {
      if (error instanceof Refusal && error.status === 401) {
        const isSent = error.code !== 'unauthenticated';
        reply.header(
          'www-authenticate',
          challenge({ publicUrl: identityUrl(services.config), error: isSent ? 'invalid_token' : undefined }),
        );
      }
      throw error;
    }
  }

  /**
   * Refuses a message if the agent lacks the scope of the tool that the message calls, or if it exceeds the rate limit.
   */
  admit({ caller, scopes }: ProvenAgent, message: unknown, reply: FastifyReply): void {
    const { rateLimiter, config } = this.#context.services;
    const { scope, category } = factsOf(message);
    const answer = rateLimiter.take(caller, category);
    this.#context.rateHeaders.set(reply, answer);
    if (answer.retryAfter > 0) throw new RateLimitExceeded(answer);
    if (scope === null || scopes.includes(scope)) return;
    const publicUrl = identityUrl(config);
    reply.header('www-authenticate', challenge({ publicUrl, error: 'insufficient_scope', scope }));
    throw new Refusal('insufficient_scope', `MCP scope ${scope}`, { required: scope });
  }

  /**
   * @returns the parts of the agent's request that a tool's WebDriver requests reuse: bearer token, address and request
   * id
   */
  forwarded({ headers, id, raw }: FastifyRequest): Pick<Agent, 'headers' | 'peer'> {
    const kept: Record<string, string> = { [HEADERS.requestId]: id };
    for (const name of FORWARDED) {
      const value = headers[name];
      if (typeof value === 'string') kept[name] = value;
    }
    return { headers: kept, peer: raw.socket.remoteAddress };
  }

  /**
   * @returns the request in the form that the MCP library reads, without its body. The library refuses clients that do
   * not accept both JSON and event streams, so the client's header `Accept` is replaced. Every response is a single
   * JSON body, whatever the client accepts.
   */
  asFetch({ headers }: FastifyRequest): Request {
    const kept = new Headers({ accept: 'application/json, text/event-stream' });
    for (const [name, value] of Object.entries(headers))
      if (typeof value === 'string' && (name === 'content-type' || name.startsWith('mcp-')))
        kept.set(name, value);
    return new Request('http://localhost/svc/mcp', { method: 'POST', headers: kept });
  }
}

/**
 * Returns whether the request has two `Authorization` headers. Such a request is refused, because two parsers could
 * read different credentials.
 */
function isDoubled({ raw: { rawHeaders } }: FastifyRequest): boolean {
  return rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'authorization').length > 1;
}
