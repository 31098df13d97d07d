import {
  type Admitted,
  type Caller,
  checkAccess,
  isSafe,
  originRefusal,
  type RateCategory,
  RateLimitExceeded,
  Refusal,
  rateCategory,
} from '@svc/auth-core';
import { type Access, atNode, type NodeAction } from '@svc/contract';
import type { RefusalRecord } from '@svc/device-lab';
import type {
  FastifyContextConfig,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  onRequestHookHandler,
  preHandlerHookHandler,
} from 'fastify';
import { stopCounting } from '../client-limits.ts';
import type { HttpContext } from '../http-context.ts';
import { implicitAdmin } from '../implicit-admin.ts';
import { hubTokenOf } from '../nodes/hub-token-of.ts';
import { isApi, isReading } from '../route-table.ts';
import { PresentedByRequest } from './presented.ts';
import { LazyRequestOrigin } from './request-origin.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Who may call the route. A route under `/svc/api` without one stops the start. */
    access?: Access;
    /**
     * Throws when what the path names is unknown to the caller or beyond them. Asked before the body is read: whether
     * a thing exists is no business of how a body looks (contract 1, guard order).
     */
    authorizeResource?: (caller: Caller, params: Readonly<Record<string, string>>) => void;
    /** The route runs an AI provider or screen analysis (specification 8.1). */
    usesAi?: boolean;
    /** See `Route.uncounted`. */
    uncounted?: boolean;
    /** What a request to this route asks about, for the record of its refusal; absent: the request itself. */
    asked?: (request: FastifyRequest) => Pick<RefusalRecord, 'method' | 'path' | 'sessionId'>;
  }
  interface FastifyRequest {
    /** Set by the guard on every route whose access asks for a caller. */
    caller: Caller;
    /** Where the credentials of the request stand, proven or not. */
    presented: PresentedByRequest;
    /** `performance.now()` when the guard first looked at it; 0: it has not. */
    startedAt: number;
    from: LazyRequestOrigin;
    /** On a node: its hub sent the request, for this session, and there is no caller. Null: the hub did not send it. */
    forHub: { readonly sessionId: string | null } | null;
  }
}

/**
 * The guard of every route under `/svc/api`, in the contract's order: origin check, credential, rate limit, role,
 * scope, visibility. All of it runs before the body is read, so strangers never reach the parser. A warm request is
 * checked without a promise; everything that refuses throws. To be called with the root, before any route is added:
 * a route added earlier would go without. Each route has a guard of its own, since asking the framework for a
 * request's route costs more than the check of its credential.
 */
export function guardRoutes(app: FastifyInstance, context: HttpContext): void {
  app.decorateRequest('caller', null as unknown as Caller);
  app.decorateRequest('presented', null as unknown as PresentedByRequest);
  app.decorateRequest('from', null as unknown as LazyRequestOrigin);
  app.decorateRequest('forHub', null);
  app.decorateRequest('startedAt', 0);
  app.addHook('onRoute', (route) => {
    if (!isApi(route.url)) return;
    const config = route.config ?? {};
    route.onRequest = [guardOf(config, context), ...[route.onRequest ?? []].flat()];
    if (isReading(route.method) || config.access?.kind !== 'caller') return;
    route.preHandler = [askAgain(config.access, context), ...[route.preHandler ?? []].flat()];
  });
}

/** An address without a route is guarded like one for any caller and then unknown, whatever came as its body. */
export function guardUnknown(api: FastifyInstance, context: HttpContext): void {
  const guard = guardOf({}, context);
  api.addHook('onRequest', function (request, reply, done) {
    if (request.is404) guard.call(this, request, reply, done);
    else done();
  });
}

/** Without an access the route does not exist for anybody. */
function guardOf(
  { access, authorizeResource, usesAi, uncounted }: FastifyContextConfig,
  context: HttpContext,
): onRequestHookHandler {
  const { scrapeToken, services } = context;
  const { requests } = services.metrics;
  const belongsToHub = services.node !== null && access !== undefined && atNode(access) === 'hub';
  return (request, reply, done) => {
    request.startedAt = performance.now();
    request.from = new LazyRequestOrigin(request, context.clients);
    request.presented = new PresentedByRequest(request);
    checkOrigin(request, context);
    if (access?.kind === 'public') return done();
    const hubToken = access?.orHub === undefined ? undefined : hubTokenOf(request, services);
    if (access?.orHub !== undefined && hubToken !== undefined) {
      redeemForHub(request, context, hubToken, access.orHub).then(() => done(), done);
      return;
    }
    if (access?.kind === 'ticket') {
      if (belongsToHub) refuseTicket(request, context, done);
      else done();
      return;
    }
    const takesTicket = access?.orTicket && !belongsToHub && !services.config.authDisabled;
    if (takesTicket && hasTicket(request)) return done();
    if (access?.orScrapeToken && scrapeToken.isPresented(request.headers)) return done();
    const admit = (caller: Admitted): void => {
      request.caller = caller;
      if (!uncounted) limitRate(caller, reply, context, rateCategory(request.method, usesAi === true));
      renewCookie(request, reply, context);
      // Before role and scope: no role and no scope would open the route.
      if (belongsToHub) throw managedByHub(context);
      if (access === undefined) throw new Refusal('not_found');
      checkAccess(caller, access);
      authorizeResource?.(caller, request.params as Record<string, string>);
      requests.allowed += 1;
    };
    whenKnown(authenticate(request, context), admit, done);
  };
}

/** Before the body is read, like every credential (contract 1, guard order). */
async function redeemForHub(
  request: FastifyRequest,
  { services: { node } }: HttpContext,
  token: string,
  action: NodeAction,
): Promise<void> {
  const { udid } = request.params as { readonly udid: string };
  request.forHub = { sessionId: (await node?.tokens.redeemControl(token, udid, action)) ?? null };
  stopCounting(request.raw.socket);
}

/**
 * Refuses a route that takes a ticket, on a node whose hub manages it: such a node issues no tickets. An account of the
 * node gets `managed_by_hub`; all other clients get the response to a wrong ticket.
 */
function refuseTicket(request: FastifyRequest, context: HttpContext, done: (error?: Error) => void): void {
  const admit = (caller: Admitted): void => {
    request.caller = caller;
    throw managedByHub(context);
  };
  const unproven = (error?: Error): void =>
    done(
      error instanceof Refusal && error.status === 401 ? new Refusal('invalid ticket', error.reason) : error,
    );
  try {
    whenKnown(authenticate(request, context), admit, unproven);
  } catch (error) {
    unproven(error as Error);
  }
}

/** The refusal of contract 8.3, which names the hub to use. */
function managedByHub({ services: { node } }: HttpContext): Refusal {
  const message = `This server is a node. Use its phones, sessions and leases through the hub, ${node?.hubUrl}`;
  return new Refusal('managed_by_hub', 'managed by the hub of this node', { message });
}

/** It is proven where it is redeemed, and decides alone: a credential beside it is not looked at. */
function hasTicket({ query }: FastifyRequest): boolean {
  return typeof (query as { readonly ticket?: unknown }).ticket === 'string';
}

/**
 * A body may come long after its headers. What was true then is asked again once it is in, so that no change is made
 * with a credential that was revoked, or by a user who was demoted, while their request was held open.
 */
function askAgain(access: Extract<Access, { kind: 'caller' }>, context: HttpContext): preHandlerHookHandler {
  return (request, _reply, done) => {
    if (request.forHub !== null) return done();
    const admit = (caller: Caller): void => {
      request.caller = caller;
      checkAccess(caller, access);
    };
    whenKnown(authenticate(request, context), admit, done);
  };
}

function whenKnown(
  caller: Admitted | Promise<Admitted>,
  admit: (caller: Admitted) => void,
  done: (error?: Error) => void,
): void {
  if (caller instanceof Promise) {
    caller.then(admit).then(() => done(), done);
  } else {
    admit(caller);
    done();
  }
}

function checkOrigin(request: FastifyRequest, { services }: HttpContext): void {
  if (services.config.authDisabled || isSafe(request.method)) return;
  const { headers, presented } = request;
  const refusal = originRefusal(
    {
      method: request.method,
      host: headers.host,
      origin: headers.origin,
      referer: headers.referer,
      secFetchSite: headers['sec-fetch-site'] as string | undefined,
      carriesOwnCredential: services.authenticator.liftsOriginCheck(presented),
    },
    services.config.allowedOrigins,
  );
  if (refusal !== null) throw new Refusal(refusal);
}

function authenticate(request: FastifyRequest, { services }: HttpContext): Admitted | Promise<Admitted> {
  return services.config.authDisabled
    ? implicitAdmin(services, request.from)
    : services.authenticator.authenticate(request.presented, request.from);
}

function limitRate(
  caller: Admitted,
  reply: FastifyReply,
  context: HttpContext,
  category: RateCategory,
): void {
  const answer = context.services.rateLimiter.take(caller, category);
  context.rateHeaders.set(reply, answer);
  if (answer.retryAfter > 0) throw new RateLimitExceeded(answer);
}

/** The browser's copy of a sign-in slides along with the server's record of it. */
function renewCookie(request: FastifyRequest, reply: FastifyReply, { services, cookie }: HttpContext): void {
  const { caller, presented } = request;
  if (!caller.extended || caller.expiresAt === null || presented.cookie === undefined) return;
  cookie.set(request, reply, presented.cookie, caller.expiresAt - services.clock.now());
}
