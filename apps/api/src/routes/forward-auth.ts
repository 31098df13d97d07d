import { type Caller, Refusal, Unavailable } from '@svc/auth-core';
import { ANY_CALLER, API_PREFIX, HEADERS, routes } from '@svc/contract';
import { refusalLines } from '@svc/module';
import { classifyForwarded, type ForwardedTarget, printable, Targets } from '@svc/webdriver-gate';
import type { FastifyContextConfig, FastifyReply, FastifyRequest } from 'fastify';
import { type RequestToForward, refusalToForward } from '../admission/forward-request.ts';
import { originRefusal } from '../admission/same-origin.ts';
import { handle } from '../http/handle.ts';
import type { App, LabContext } from '../http/http-context.ts';
import { leaveBodies } from '../plugins/bodies.ts';

/** Request that waits at the proxy until this server has responded, with the facts that the proxy sends about it. */
interface Waiting {
  /**
   * HTTP method, or undefined if the proxy does not send it. A request without a known method is checked like one that
   * changes data.
   */
  readonly method: string | undefined;
  /** Path and query, or null if the proxy does not send them or sends different values. */
  readonly uri: string | null;
}

const VERIFY = `${API_PREFIX}${routes.verify.path}`;
/**
 * HTTP methods of the route `/auth/verify/*`. A proxy such as Envoy appends the path of the waiting request to the
 * address of the route, and uses the method of the waiting request. All of these methods are therefore accepted.
 */
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/**
 * Registers the routes for forward authentication with nginx `auth_request`, Traefik ForwardAuth and Envoy `ext_authz`.
 * The proxy asks this server whether it may forward a waiting request, which it describes in headers. These headers are
 * accepted from every client: a client that sends them without a proxy gets only the decision that it would also get by
 * sending the described request itself.
 */
export function forwardAuthRoutes(api: App, context: LabContext): void {
  const { services, basePath } = context;
  const { config, modules, log, clock } = services;
  const { sessions } = modules.lab.offers.lab;
  const targets = new Targets(basePath);
  const warnings = refusalLines(log, clock);

  const verify = (request: FastifyRequest, reply: FastifyReply): { readonly ok: true } => {
    const { caller } = request;
    if (!config.authDisabled) {
      const waiting = waitingAt(request);
      const target: ForwardedTarget =
        waiting.uri === null ? { kind: 'unclear' } : classifyForwarded(targets, waiting.uri);
      if (target.kind === 'unclear') throw new Refusal('invalid_target', reasonOf(waiting));
      const refusal = refusalToForward(caller, withOwners(target));
      if (refusal !== null) {
        if (target.kind === 'session') warn(request, waiting, target.sessionIds, refusal.reason);
        throw refusal;
      }
      if (target.kind === 'other') checkBrowser(caller, waiting, request);
    }
    reply.header(HEADERS.user, caller.account.id);
    reply.header(HEADERS.role, caller.account.role);
    return { ok: true };
  };

  function withOwners(target: Exclude<ForwardedTarget, { kind: 'unclear' }>): RequestToForward {
    if (target.kind !== 'session') return target;
    try {
      return { kind: 'session', owners: target.sessionIds.map((id) => sessions.ownerOf(id)) };
    } catch (error) {
      throw new Unavailable('Access to a session could not be verified', error);
    }
  }

  /** Logs a refused command in the same format as a server that checks commands without a proxy (contract 7). */
  function warn(
    { caller, from, id }: FastifyRequest,
    waiting: Waiting,
    ids: readonly string[],
    reason: string,
  ) {
    const { method, path } = described(waiting);
    const sessions = printable(ids.join(' '));
    const line = `Command refused: ${method} ${path} (session ${sessions}, caller ${caller.account.id}): ${reason}`;
    warnings.write(from.peer, line, { request: id });
  }

  /**
   * Checks the origin of a request that was authenticated with a cookie, because browsers also send cookies with
   * requests from pages of other origins (specification 5.6).
   */
  function checkBrowser({ credential }: Caller, { method }: Waiting, { headers }: FastifyRequest): void {
    if (credential.ownSignIn === null) return;
    const isSocket = headers['sec-websocket-key'] !== undefined;
    const refusal = originRefusal(
      {
        method: isSocket ? 'POST' : (method ?? 'POST'),
        host: textOf(headers['x-forwarded-host']) ?? headers.host,
        origin: headers.origin,
        referer: headers.referer,
        secFetchSite: textOf(headers['sec-fetch-site']),
        carriesOwnCredential: false,
      },
      config.allowedOrigins,
    );
    if (refusal !== null) throw new Refusal(refusal);
  }

  const checkedRequest: FastifyContextConfig['checkedRequest'] = (request) => {
    const waiting = waitingAt(request);
    const target = waiting.uri === null ? null : classifyForwarded(targets, waiting.uri);
    const sessionId = target?.kind === 'session' ? printable(target.sessionIds.join(' ')) : null;
    return { ...described(waiting), sessionId };
  };

  handle(api, routes.verify, verify, { checkedRequest });
  void api.register(async (scope) => {
    leaveBodies(scope);
    scope.route({
      method: METHODS,
      url: `${routes.verify.path}/*`,
      config: { access: ANY_CALLER, uncounted: true, checkedRequest },
      handler: verify,
    });
  });
}

/**
 * Reads every header in which a proxy can describe the waiting request. A client can add those headers that its proxy
 * does not set, so all headers that are present must agree. A header that is sent twice is joined with a comma and a
 * space, which makes its value invalid.
 */
function waitingAt({ headers, raw }: FastifyRequest): Waiting {
  const url = raw.url ?? '';
  const isPrefixed = url.startsWith(`${VERIFY}/`);
  const uri = sameOf([
    isPrefixed ? url.slice(VERIFY.length) : undefined,
    textOf(headers['x-original-uri']),
    withoutOrigin(textOf(headers['x-original-url'])),
    textOf(headers['x-forwarded-uri']),
  ]);
  const method = sameOf([
    isPrefixed ? raw.method : undefined,
    textOf(headers['x-original-method']),
    textOf(headers['x-forwarded-method']),
  ]);
  return { method: method ?? undefined, uri: uri ?? null };
}

/** @returns the value that all entries share, undefined if every entry is undefined, or null if the entries differ */
function sameOf(values: readonly (string | undefined)[]): string | undefined | null {
  let same: string | undefined;
  for (const value of values) {
    if (value === undefined) continue;
    if (same !== undefined && same !== value) return null;
    same = value;
  }
  return same;
}

function textOf(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(', ') : value;
}

function withoutOrigin(url: string | undefined): string | undefined {
  return url?.replace(/^https?:\/\/[^/?#\\]*(?=\/)/i, '');
}

function reasonOf({ uri }: Waiting): string {
  return uri === null
    ? 'the proxy names no request, or its headers name two'
    : 'the path can be read in two ways';
}

function described({ method, uri }: Waiting): { readonly method: string; readonly path: string } {
  return {
    method: printable(method ?? 'unnamed method'),
    path: printable(uri?.split('?', 1)[0] ?? 'unnamed path'),
  };
}
