import {
  type Caller,
  originRefusal,
  Refusal,
  type RequestToForward,
  refusalLines,
  refusalToForward,
  Unavailable,
} from '@svc/auth-core';
import { ANY_CALLER, API_PREFIX, HEADERS, routes } from '@svc/contract';
import { classifyForwarded, type ForwardedTarget, printable, Targets } from '@svc/webdriver-gate';
import type { FastifyContextConfig, FastifyReply, FastifyRequest } from 'fastify';
import { handle } from '../http/handle.ts';
import type { App, HttpContext } from '../http/http-context.ts';
import { leaveBodies } from '../plugins/bodies.ts';

/** The request that waits at a proxy, as the proxy names it. */
interface Waiting {
  /** Undefined: the proxy does not say, which counts as one that changes things. */
  readonly method: string | undefined;
  /** Null: named nowhere, or differently in two places. */
  readonly uri: string | null;
}

const VERIFY = `${API_PREFIX}${routes.verify.path}`;
/** A proxy that puts a prefix on the path keeps the method too. */
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/**
 * Forward authentication: nginx `auth_request`, Traefik ForwardAuth, Envoy `ext_authz`. The headers that name the
 * waiting request are believed from anybody, because the answer is about the credentials of this very request: who asks
 * without a proxy learns what they would learn by sending the request itself.
 */
export function forwardAuthRoutes(api: App, context: HttpContext): void {
  const { services, basePath } = context;
  const { config, lab, log, clock } = services;
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
      return { kind: 'session', owners: target.sessionIds.map((id) => lab.sessions.ownerOf(id)) };
    } catch (error) {
      throw new Unavailable('Access to a session could not be verified', error);
    }
  }

  /** The line of the command check (contract 7). */
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

  /** A cookie comes with what a page of another origin makes the browser send (specification 5.6). */
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
 * Every place a proxy may name the waiting request in. A client can add the headers its proxy does not set, so all that
 * are there must name the same; one that is there twice has a comma and a space in it, and is unclear.
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

/** Undefined: none is there; null: they differ. */
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
