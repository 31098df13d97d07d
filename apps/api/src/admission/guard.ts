import {
  type Admitted,
  type Caller,
  checkAccess,
  checkFresh,
  type PresentedCredentials,
  type RateCategory,
  RateLimitExceeded,
  Refusal,
  type Sender,
} from '@svc/auth-core';
import { type Access, ANY_CALLER, accountProof, atNode, isPublic, type ProtocolRoute } from '@svc/contract';
import type { RefusalRecord } from '@svc/device-lab';
import { identityUrl } from '@svc/settings';
import type { GateOrigin } from '@svc/webdriver-gate';
import type {
  FastifyContextConfig,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  onRequestHookHandler,
  preHandlerHookHandler,
} from 'fastify';
import type { HttpContext } from '../http/http-context.ts';
import { rateCategory } from '../http/rate-category.ts';
import { isGuarded, isReading } from '../http/route-table.ts';
import { isUpgrade } from '../http/upgrades.ts';
import { identifier } from './identify.ts';
import { agentPages, cookiePages } from './page-origin.ts';
import { accountProver } from './prove-account.ts';
import { redeemersOf } from './redeem-proofs.ts';

/**
 * Fields of a route's definition that the guard reads. `access` must be set: the server does not start if a route below
 * `/svc/api` or of a protocol has none. If `errorFormat` is absent, it is `api`.
 */
type Guarded = Partial<Omit<ProtocolRoute, 'method' | 'path' | 'summary'>>;

declare module 'fastify' {
  interface FastifyContextConfig extends Guarded {
    /**
     * Throws if the resource in the path is unknown or not accessible to the caller. The check runs before the body is
     * read, because the response must not depend on the form of the body (contract 1, guard order).
     */
    authorizeResource?: (caller: Caller, params: Readonly<Record<string, string>>) => void;
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
    from: GateOrigin;
  }
}

/**
 * Guards every route under `/svc/api`, of every protocol, and with an access, in the contract's order: public address,
 * origin check, proof, rate limit, role, scope, visibility. All checks run before the body is read, so that
 * unauthenticated clients never reach the parser. If the caller is cached, the request is checked synchronously. Every
 * refusal is thrown. Call this with the root instance before any route is added, because earlier routes would have no
 * guard. Each route has its own guard function, because looking up the route of a request in Fastify costs more than
 * the check of a credential.
 */
export function guardRoutes(app: FastifyInstance, context: HttpContext): void {
  app.decorateRequest('sender', null as never);
  app.decorateRequest('caller', {
    getter(this: FastifyRequest) {
      return (this.sender?.kind === 'caller' ? this.sender.caller : null) as Caller;
    },
  });
  app.decorateRequest('presented', null as unknown as PresentedCredentials);
  app.decorateRequest('from', null as unknown as GateOrigin);
  app.decorateRequest('startedAt', 0);
  app.addHook('onRoute', (route) => {
    const config = route.config ?? {};
    if (config.access === undefined && !isGuarded(route.url)) return;
    route.onRequest = [guardOf(config, context), ...[route.onRequest ?? []].flat()];
    if (isReading(route.method) || config.access === undefined || isPublic(config.access)) return;
    // The handler of a message to the MCP server reads the body itself, and then calls `againOf`.
    if (config.errorFormat === 'mcp') return;
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

/** Every check that the guard makes before the proof throws a refusal if the request does not pass. */
type Check = (request: FastifyRequest, reply: FastifyReply) => void;
/** Checks what the caller may do, after the proof. Throws a refusal if one of the checks fails. */
type Admit = (caller: Admitted, request: FastifyRequest, reply: FastifyReply) => void;

/**
 * Returns the guard of a route. If the config has no access, the route is treated as unknown, so every caller gets 404.
 */
function guardOf(config: FastifyContextConfig, context: HttpContext): onRequestHookHandler {
  const { access = ANY_CALLER, upgradeOnly } = config;
  const redeemers = redeemersOf(access, context.services);
  const identify = identifier(config, context.clients);
  const checks = checksBeforeProof(config, context);
  const prove = accountProver(access, context.services);
  const admit = admissionOf(config, context);
  return (request, reply, done) => {
    identify(request);
    for (const check of checks) check(request, reply);
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
    whenKnown(prove(request), (caller) => admit(caller, request, reply), done);
  };
}

function checksBeforeProof(
  { errorFormat = 'api', crossOrigin, needsPublicUrl }: FastifyContextConfig,
  { services }: HttpContext,
): readonly Check[] {
  const isOff = needsPublicUrl === true && identityUrl(services.config) === null;
  return [
    ...(crossOrigin ? [allowEveryOrigin] : []),
    ...(isOff ? [refuseWithoutPublicUrl] : []),
    ...(errorFormat === 'api' ? [cookiePages(services)] : []),
    ...(errorFormat === 'mcp' ? [agentPages(services)] : []),
  ];
}

/**
 * Allows pages of every origin to read the response (CORS). Browsers send these requests without cookies, so a page
 * gets only what any program on the user's computer gets without the user's sign-in.
 */
function allowEveryOrigin(_request: FastifyRequest, reply: FastifyReply): void {
  reply.header('access-control-allow-origin', '*');
}

function refuseWithoutPublicUrl(): never {
  throw new Refusal('not_found', 'SVC_PUBLIC_URL is not usable');
}

/**
 * Returns the function that runs the checks after the proof: rate limit, role, scope and visibility. It throws a
 * refusal if one of them fails.
 */
function admissionOf(
  { access, authorizeResource, category = 'change', errorFormat = 'api', uncounted }: FastifyContextConfig,
  context: HttpContext,
): Admit {
  const { services } = context;
  const { requests } = services.metrics;
  const belongsToHub =
    services.modules.node !== undefined && access !== undefined && atNode(access) === 'hub';
  const takesAccount = access === undefined || accountProof(access) !== undefined;
  return (caller, request, reply) => {
    request.sender = { kind: 'caller', caller, ticket: null };
    if (takesAccount) {
      if (!uncounted) limitRate(caller, reply, context, rateCategory(request.method, category));
      renewCookie(request, reply, context);
    }
    // Check this before role and scope: a refusal for the role or the scope would be misleading, because on a node no
    // role or scope gives access to a route that belongs to the hub.
    if (belongsToHub) throw managedByHub(context);
    if (access === undefined) throw new Refusal('not_found');
    checkAccess(caller, access);
    if (access.fresh) checkFresh(caller, access, services.clock.now());
    authorizeResource?.(caller, request.params as Record<string, string>);
    if (caller.credential.agent !== null && errorFormat !== 'mcp')
      services.modules.agents?.offers.note(caller, null);
    if (takesAccount && errorFormat === 'api') requests.allowed += 1;
  };
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
function managedByHub({ services: { modules } }: HttpContext): Refusal {
  const message = `This server is a node. Use its phones, sessions and leases through the hub, ${modules.node?.offers.hubUrl}`;
  return new Refusal('managed_by_hub', 'managed by the hub of this node', { message });
}

/**
 * Returns the function that checks the proof and the access of a caller again once the body is complete, because a body
 * may arrive long after its headers. Otherwise a client could hold a request open and change data with a credential
 * that has been revoked, or as a user who has been demoted.
 */
export function againOf(
  access: Access,
  { services }: HttpContext,
): (request: FastifyRequest) => undefined | Promise<undefined> {
  const prove = accountProver(access, services);
  return (request) => {
    if (request.sender.kind !== 'caller') return undefined;
    const admit = (caller: Caller): undefined => {
      request.sender = { kind: 'caller', caller, ticket: null };
      checkAccess(caller, access);
      if (access.fresh) checkFresh(caller, access, services.clock.now());
    };
    const proven = prove(request);
    return proven instanceof Promise ? proven.then(admit) : admit(proven);
  };
}

function checkAgain(access: Access, context: HttpContext): preHandlerHookHandler {
  const again = againOf(access, context);
  return (request, _reply, done) => whenKnown(again(request), () => undefined, done);
}

/**
 * Calls `use` with the value and then `done`. If the value is not a promise, both are called before this function
 * returns.
 */
function whenKnown<T>(known: T | Promise<T>, use: (value: T) => void, done: (error?: Error) => void): void {
  if (known instanceof Promise) {
    known.then(use).then(() => done(), done);
  } else {
    use(known);
    done();
  }
}

/** Counts a request against the rate limit of the caller, and throws a refusal if it exceeds the limit. */
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
