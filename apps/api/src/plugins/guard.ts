import type { Sender } from '@svc/auth-core';
import {
  type Admitted,
  type Caller,
  checkAccess,
  checkFresh,
  isSafe,
  originRefusal,
  type PresentedCredentials,
  type RateCategory,
  RateLimitExceeded,
  Refusal,
  rateCategory,
} from '@svc/auth-core';
import { type Access, ANY_CALLER, acceptedProof, atNode, isPublic } from '@svc/contract';
import type { RefusalRecord } from '@svc/device-lab';
import type {
  FastifyContextConfig,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  onRequestHookHandler,
  preHandlerHookHandler,
} from 'fastify';
import type { HttpContext } from '../http/http-context.ts';
import { implicitAdmin } from '../http/implicit-admin.ts';
import { isApi, isReading } from '../http/route-table.ts';
import { isUpgrade } from '../http/upgrades.ts';
import { PresentedByRequest } from './presented.ts';
import { redeemersOf } from './redeem-proofs.ts';
import { LazyRequestOrigin } from './request-origin.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Rule for who may call the route. The server does not start if a route under `/svc/api` has none. */
    access?: Access;
    /**
     * Throws if the resource in the path is unknown or not accessible to the caller. The check runs before the body is
     * read, because the response must not depend on the form of the body (contract 1, guard order).
     */
    authorizeResource?: (caller: Caller, params: Readonly<Record<string, string>>) => void;
    /** Whether the route uses an AI provider or screen analysis (specification 8.1). */
    usesAi?: boolean;
    /** Whether the route only reads, although its method is not GET. It then counts as a read (contract 14.4). */
    onlyReads?: boolean;
    /** Whether requests to the route are left out of the rate limit; see `Route.uncounted`. */
    uncounted?: boolean;
    /** Whether the route accepts only WebSocket upgrades; see `handleSocket`. */
    upgradeOnly?: true;
    /**
     * Returns the method, path and session id to store in the record of a refusal (`GET /explain/:requestId`). If it is
     * not set, the method and path of the request itself are stored.
     */
    checkedRequest?: (request: FastifyRequest) => Pick<RefusalRecord, 'method' | 'path' | 'sessionId'>;
  }
  interface FastifyRequest {
    /**
     * Sender of the request: a caller with a credential or ticket, a hub, or the scraper of the metrics. The guard sets
     * it on every route that is not public.
     */
    sender: Sender;
    /**
     * Caller who sent the request with a credential or a ticket; null if the route is public or if the sender is a hub
     * or a scraper.
     */
    readonly caller: Caller;
    /** Credentials that the request contains, whether they are valid or not. */
    presented: PresentedCredentials;
    /** `performance.now()` when the guard began to check the request, or 0 before that. */
    startedAt: number;
    from: LazyRequestOrigin;
  }
}

/**
 * Guards every route under `/svc/api`, in the contract's order: origin check, credential, rate limit, role, scope,
 * visibility. All checks run before the body is read, so that unauthenticated clients never reach the parser. If the
 * caller is cached, the request is checked synchronously. Every refusal is thrown. Call this with the root instance
 * before any route is added, because earlier routes would have no guard. Each route has its own guard function, because
 * looking up the route of a request in Fastify costs more than the check of a credential.
 */
export function guardRoutes(app: FastifyInstance, context: HttpContext): void {
  app.decorateRequest('sender', null as never);
  app.decorateRequest('caller', {
    getter(this: FastifyRequest) {
      return (this.sender?.kind === 'caller' ? this.sender.caller : null) as Caller;
    },
  });
  app.decorateRequest('presented', null as unknown as PresentedCredentials);
  app.decorateRequest('from', null as unknown as LazyRequestOrigin);
  app.decorateRequest('startedAt', 0);
  app.addHook('onRoute', (route) => {
    if (!isApi(route.url)) return;
    const config = route.config ?? {};
    route.onRequest = [guardOf(config, context), ...[route.onRequest ?? []].flat()];
    if (isReading(route.method) || config.access === undefined || isPublic(config.access)) return;
    route.preHandler = [checkAgain(config.access, context), ...[route.preHandler ?? []].flat()];
  });
}

/**
 * Guards addresses without a route like a route that any caller may use. A caller who passes the guard gets 404,
 * regardless of the body.
 */
export function guardUnknown(api: FastifyInstance, context: HttpContext): void {
  const guard = guardOf({}, context);
  api.addHook('onRequest', function (request, reply, done) {
    if (request.is404) guard.call(this, request, reply, done);
    else done();
  });
}

/**
 * Returns the guard of a route. If the config has no access, the route is treated as unknown, so every caller gets 404.
 */
function guardOf(config: FastifyContextConfig, context: HttpContext): onRequestHookHandler {
  const { access = ANY_CALLER, upgradeOnly } = config;
  const redeemers = redeemersOf(access, context.services);
  const prove = acceptedProof(access, 'credential') === undefined ? authenticateForTicket : authenticate;
  const admit = admissionOf(config, context);
  return (request, reply, done) => {
    request.startedAt = performance.now();
    request.from = new LazyRequestOrigin(request, context.clients);
    request.presented = new PresentedByRequest(request);
    checkOrigin(request, context);
    if (isPublic(access)) return done();
    for (const redeemer of redeemers) {
      if (!redeemer.isPresented(request)) continue;
      if (upgradeOnly && !isUpgrade(request.raw)) throw notAnUpgrade();
      const admitSender = (sender: Sender): void => {
        request.sender = sender;
      };
      whenKnown(redeemer.redeem(request), admitSender, done);
      return;
    }
    whenKnown(prove(request, context), (caller) => admit(caller, request, reply), done);
  };
}

/**
 * Returns the function that runs the checks after the credential: rate limit, role, scope and visibility. It throws a
 * refusal if one of them fails.
 */
function admissionOf(
  { access, authorizeResource, usesAi, onlyReads, uncounted }: FastifyContextConfig,
  context: HttpContext,
): (caller: Admitted, request: FastifyRequest, reply: FastifyReply) => void {
  const { services } = context;
  const { requests } = services.metrics;
  const belongsToHub = services.node !== null && access !== undefined && atNode(access) === 'hub';
  const takesCredential = access === undefined || acceptedProof(access, 'credential') !== undefined;
  return (caller, request, reply) => {
    request.sender = { kind: 'caller', caller, ticket: null };
    if (takesCredential) {
      if (!uncounted)
        limitRate(caller, reply, context, rateCategory(request.method, usesAi === true, onlyReads));
      renewCookie(request, reply, context);
    }
    // Check this before role and scope: a refusal for the role or the scope would be misleading, because on a node no
    // role or scope gives access to a route that belongs to the hub.
    if (belongsToHub) throw managedByHub(context);
    if (access === undefined) throw new Refusal('not_found');
    checkAccess(caller, access);
    if (access.fresh) checkFresh(caller, access, services.clock.now());
    authorizeResource?.(caller, request.params as Record<string, string>);
    if (takesCredential) requests.allowed += 1;
  };
}

/**
 * Authenticates a request to a route that accepts only tickets, in the two cases in which no ticket is checked: while
 * sign-in is off, and on a node if the hub manages the route. In the second case, a client with a valid credential gets
 * `managed_by_hub`, and every other client gets the response for a wrong ticket.
 */
function authenticateForTicket(request: FastifyRequest, context: HttpContext): Admitted | Promise<Admitted> {
  try {
    const caller = authenticate(request, context);
    return caller instanceof Promise ? caller.catch(refuseAsTicket) : caller;
  } catch (error) {
    return refuseAsTicket(error);
  }
}

function refuseAsTicket(error: unknown): never {
  if (error instanceof Refusal && error.status === 401) throw new Refusal('invalid ticket', error.reason);
  throw error;
}

/**
 * Returns the refusal of a request that is not a WebSocket upgrade. Its ticket is not checked, because only an upgrade
 * could use it.
 */
function notAnUpgrade(): Refusal {
  return new Refusal('invalid ticket', 'no upgrade', { message: 'Open this address as a WebSocket.' });
}

/**
 * Returns the refusal of a request that a node receives for a route that belongs to its hub. The message names the hub
 * to use (contract 8.3).
 */
function managedByHub({ services: { node } }: HttpContext): Refusal {
  const message = `This server is a node. Use its phones, sessions and leases through the hub, ${node?.hubUrl}`;
  return new Refusal('managed_by_hub', 'managed by the hub of this node', { message });
}

/**
 * Checks the credential again once the body is complete, because a body may arrive long after its headers. Otherwise a
 * client could hold a request open and change data with a credential that has been revoked, or as a user who has been
 * demoted.
 */
export function checkAgain(access: Access, context: HttpContext): preHandlerHookHandler {
  return (request, _reply, done) => {
    if (request.sender.kind !== 'caller') return done();
    const admit = (caller: Caller): void => {
      request.sender = { kind: 'caller', caller, ticket: null };
      checkAccess(caller, access);
      if (access.fresh) checkFresh(caller, access, context.services.clock.now());
    };
    whenKnown(authenticate(request, context), admit, done);
  };
}

/**
 * Calls `use` with the value and then `done`. If the value is not a promise, both are called before this function
 * returns.
 */
export function whenKnown<T>(
  known: T | Promise<T>,
  use: (value: T) => void,
  done: (error?: Error) => void,
): void {
  if (known instanceof Promise) {
    known.then(use).then(() => done(), done);
  } else {
    use(known);
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

export function authenticate(
  request: FastifyRequest,
  { services }: HttpContext,
): Admitted | Promise<Admitted> {
  return services.config.authDisabled
    ? implicitAdmin(services, request.from)
    : services.authenticator.authenticate(request.presented, request.from);
}

export function limitRate(
  caller: Admitted,
  reply: FastifyReply,
  context: HttpContext,
  category: RateCategory,
): void {
  const answer = context.services.rateLimiter.take(caller, category);
  context.rateHeaders.set(reply, answer);
  if (answer.retryAfter > 0) throw new RateLimitExceeded(answer);
}

/** Renews the browser's cookie when the server has extended the sign-in. */
function renewCookie(request: FastifyRequest, reply: FastifyReply, { services, cookie }: HttpContext): void {
  const { caller, presented } = request;
  if (!caller.extended || caller.expiresAt === null || presented.cookie === undefined) return;
  cookie.set(request, reply, presented.cookie, caller.expiresAt - services.clock.now());
}
