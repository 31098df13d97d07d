import {
  type Access,
  type Caller,
  checkAccess,
  isSafe,
  originRefusal,
  type Presented,
  presentedBy,
  type RateCategory,
  Refusal,
  rateCategory,
} from '@svc/auth-core';
import { API_PREFIX } from '@svc/contract';
import type {
  FastifyContextConfig,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  onRequestHookHandler,
  preHandlerHookHandler,
} from 'fastify';
import type { Host } from '../host.ts';
import { isReading } from '../route-table.ts';
import { anonymousCaller } from '../sign-in-off.ts';
import { LazyOrigin } from './request-origin.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Who may call the route. A route under `/svc/api` without one stops the start. */
    access?: Access;
    /**
     * Throws when what the path names is unknown to the caller or beyond them. Asked before the body is read: whether
     * a thing exists is no business of how a body looks (contract 1, guard order).
     */
    visible?: (caller: Caller, params: Readonly<Record<string, string>>) => void;
    /** The route runs an AI provider or screen analysis (specification 8.1). */
    usesAi?: boolean;
  }
  interface FastifyRequest {
    /** Set by the guard on every route whose access asks for a caller. */
    caller: Caller;
    /** What the request presented, proven or not. */
    presented: Presented;
    from: LazyOrigin;
  }
}

/**
 * The guard of every route under `/svc/api`, in the contract's order: origin check, credential, rate limit, role,
 * scope, visibility. All of it runs before the body is read, so strangers never reach the parser. A warm request is
 * checked without a promise; everything that refuses throws. To be called with the root, before any route is added:
 * a route added earlier would go without. Each route has a guard of its own, since asking the framework for a
 * request's route costs more than the check of its credential.
 */
export function guardRoutes(app: FastifyInstance, host: Host): void {
  app.decorateRequest('caller', null as unknown as Caller);
  app.decorateRequest('presented', null as unknown as Presented);
  app.decorateRequest('from', null as unknown as LazyOrigin);
  app.addHook('onRoute', (route) => {
    if (!route.url.startsWith(API_PREFIX)) return;
    const config = route.config ?? {};
    route.onRequest = [guardOf(config, host), ...[route.onRequest ?? []].flat()];
    if (isReading(route.method) || config.access?.kind !== 'caller') return;
    route.preHandler = [askAgain(config.access, host), ...[route.preHandler ?? []].flat()];
  });
}

/** An address without a route is guarded like one for any caller and then unknown, whatever came as its body. */
export function guardUnknown(api: FastifyInstance, host: Host): void {
  const guard = guardOf({}, host);
  api.addHook('onRequest', function (request, reply, done) {
    if (request.is404) guard.call(this, request, reply, done);
    else done();
  });
}

/** Without an access the route does not exist for anybody. */
function guardOf({ access, visible, usesAi }: FastifyContextConfig, host: Host): onRequestHookHandler {
  return (request, reply, done) => {
    request.from = new LazyOrigin(request, host.clients);
    request.presented = presentedBy(request.headers);
    checkOrigin(request, host);
    if (access !== undefined && access.kind !== 'caller') return done();
    const admit = (caller: Caller): void => {
      request.caller = caller;
      limitRate(caller, reply, host, rateCategory(request.method, usesAi === true));
      renewCookie(request, reply, host);
      if (access === undefined) throw new Refusal('not_found');
      checkAccess(caller, access);
      visible?.(caller, request.params as Record<string, string>);
    };
    whenKnown(authenticate(request, host), admit, done);
  };
}

/**
 * A body may come long after its headers. What was true then is asked again once it is in, so that no change is made
 * with a credential that was revoked, or by a user who was demoted, while their request was held open.
 */
function askAgain(access: Extract<Access, { kind: 'caller' }>, host: Host): preHandlerHookHandler {
  return (request, _reply, done) => {
    const admit = (caller: Caller): void => {
      request.caller = caller;
      checkAccess(caller, access);
    };
    whenKnown(authenticate(request, host), admit, done);
  };
}

function whenKnown(
  caller: Caller | Promise<Caller>,
  admit: (caller: Caller) => void,
  done: (error?: Error) => void,
): void {
  if (caller instanceof Promise) {
    caller.then(admit).then(() => done(), done);
  } else {
    admit(caller);
    done();
  }
}

function checkOrigin(request: FastifyRequest, { deps }: Host): void {
  if (deps.config.authDisabled || isSafe(request.method)) return;
  const { headers, presented } = request;
  const refusal = originRefusal(
    {
      method: request.method,
      host: headers.host,
      origin: headers.origin,
      referer: headers.referer,
      secFetchSite: headers['sec-fetch-site'] as string | undefined,
      carriesOwnCredential: presented.accessKey !== undefined || presented.bearer !== undefined,
    },
    deps.config.allowedOrigins,
  );
  if (refusal !== null) throw new Refusal(refusal);
}

function authenticate(request: FastifyRequest, { deps }: Host): Caller | Promise<Caller> {
  return deps.config.authDisabled
    ? anonymousCaller(deps, request.from)
    : deps.authenticator.authenticate(request.presented, request.from);
}

function limitRate(caller: Caller, reply: FastifyReply, host: Host, category: RateCategory): void {
  const answer = host.deps.rateLimiter.take(caller, category);
  host.rateHeaders.set(reply, answer);
  const { retryAfter } = answer;
  if (retryAfter > 0)
    throw new Refusal('rate limit exceeded', 'rate limit exceeded', { category, retryAfter });
}

/** The browser's copy of a sign-in slides along with the server's record of it. */
function renewCookie(request: FastifyRequest, reply: FastifyReply, { deps, cookie }: Host): void {
  const { caller, presented } = request;
  if (!caller.extended || caller.expiresAt === null || presented.cookie === undefined) return;
  cookie.set(request, reply, presented.cookie, caller.expiresAt - deps.clock.now());
}
