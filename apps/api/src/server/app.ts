import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { setImmediate as otherWork } from 'node:timers/promises';
import cookies from '@fastify/cookie';
import { API_PREFIX } from '@svc/contract';
import { clientFacts, requestIdOf } from '@svc/webdriver-gate';
import Fastify, { type FastifyReply } from 'fastify';
import { guardRoutes, guardUnknown } from '../admission/guard.ts';
import { Transfers } from '../clients/transfers.ts';
import { type App, type HttpContext, hasLab } from '../http/http-context.ts';
import { RateHeaders } from '../http/rate-headers.ts';
import { checkComplete, collectRoutes } from '../http/route-table.ts';
import { SignInCookie } from '../http/sign-in-cookie.ts';
import { Upgrades } from '../http/upgrades.ts';
import { logAccess } from '../plugins/access-lines.ts';
import { limitAttempts } from '../plugins/attempt-limits.ts';
import { BODY_LIMIT, parseBodies } from '../plugins/bodies.ts';
import { answerPreflights } from '../plugins/cross-origin.ts';
import { answerClientErrors, errorHandler, sendError } from '../plugins/errors.ts';
import { serveInspector } from '../plugins/inspector.ts';
import { AJV, lazySchemas } from '../plugins/lazy-schemas.ts';
import { serveOpenApi } from '../plugins/open-api.ts';
import { servePages } from '../plugins/pages.ts';
import { measureRequests } from '../plugins/request-measures.ts';
import { addResponseHeaders, setResponseHeaders } from '../plugins/response-headers.ts';
import { openProtocols } from '../protocols/index.ts';
import { LargeReads } from '../reads/large-reads.ts';
import * as features from '../routes/index.ts';
import { labRoute } from '../routes/lab.ts';
import * as phoneFeatures from '../routes/of-phones.ts';
import { serveHandlers } from '../routes/serve-handlers.ts';
import { pauses } from '../runtime/pauses.ts';
import type { AccountServices } from '../services/services.ts';

/**
 * Time limit for receiving a complete request (ms), so that slow clients do not hold connections. A request that takes
 * longer gets 408.
 */
const REQUEST_TIMEOUT_MS = 60_000;
/**
 * Maximum length of a path parameter. It exceeds every request line that Node.js accepts, so that an id of any length
 * reaches its handler, which responds that the id is unknown.
 */
const LONGEST_PARAM = 65_536;

/**
 * Builds the HTTP side of the service: the API and the pages. The stand-alone server listens with it, and the Appium
 * plugin passes requests to `app.routing`. Closing the app does not close the services.
 * @param basePath base path of the automation server, for clients that request the server's capabilities
 */
export async function buildApp(services: AccountServices, { basePath = '' } = {}): Promise<App> {
  const app = Fastify({
    logger: false,
    bodyLimit: BODY_LIMIT,
    requestTimeout: REQUEST_TIMEOUT_MS,
    routerOptions: { maxParamLength: LONGEST_PARAM },
    clientErrorHandler: answerClientErrors,
    requestIdHeader: false,
    // Off, because Fastify's own 503 response does not have the API's error format. `addResponseHeaders` refuses these
    // requests instead.
    return503OnClosing: false,
    genReqId: requestIds(),
    // Handles requests whose target the router cannot parse, because no hook and no route runs for them.
    frameworkErrors: (_error, request, reply) => {
      setResponseHeaders(reply as FastifyReply, request.id);
      sendError(reply as FastifyReply, 'bad_request');
    },
    schemaController: { compilersFactory: lazySchemas() },
    ajv: AJV,
  });
  const clients = clientFacts(services.config.trustedProxies);
  const routeTable = collectRoutes(app);
  const transfers = new Transfers(app, services.openConnections);
  const context: HttpContext = {
    services,
    clients,
    cookie: new SignInCookie(clients),
    rateHeaders: new RateHeaders(),
    reads: new LargeReads(transfers),
    transfers,
    upgrades: new Upgrades(),
    basePath,
    routeTable,
  };

  // The automation server already serves commands while the API is built, so every step lets them run.
  await otherWork();
  logAccess(app, context);
  measureRequests(app, services.metrics.requests);
  guardRoutes(app, context);
  context.upgrades.serve(app);
  // The cookie plugin's hook is off, so that a cookie is parsed only if a request has no stronger credential.
  await app.register(cookies, { hook: false });
  await otherWork();
  await app.register(async (api) => serveApi(api, context), { prefix: API_PREFIX });
  await otherWork();
  await openProtocols(app, context);
  await otherWork();
  serveOpenApi(app);
  labRoute(app, context, basePath);
  serveInspector(app, context);
  await servePages(app, services);
  await otherWork();
  await app.ready();
  await otherWork();
  // A server without phones has no handlers for their routes.
  if (hasLab(context)) checkComplete(routeTable);
  return app;
}

async function serveApi(api: App, context: HttpContext): Promise<void> {
  addResponseHeaders(api, sendError);
  api.setErrorHandler(errorHandler(context));
  await answerPreflights(api, context);
  guardUnknown(api, context);
  await limitAttempts(api);
  parseBodies(api);
  api.setNotFoundHandler((_request, reply) => sendError(reply, 'not_found'));
  await otherWork();
  const pause = pauses();
  for (const module of Object.values(context.services.modules)) {
    await serveHandlers(api, module.handlers, context, pause);
    api.addHook('preClose', async () => module.disconnect?.());
  }
  for (const serve of Object.values(features)) {
    serve(api, context);
    await pause();
  }
  if (!hasLab(context)) return;
  for (const serve of Object.values(phoneFeatures)) {
    serve(api, context);
    await pause();
  }
}

/**
 * Returns a function that assigns the id of a request: the client's own id if it is safe to log, otherwise a new id
 * (contract 1). A new id consists of a random prefix for this server start and a number, because a random id per
 * request costs more than the check of a credential.
 */
function requestIds(): (request: IncomingMessage) => string {
  const start = randomUUID().slice(0, 13);
  let last = 0;
  const newId = (): string => {
    last += 1;
    return `${start}-${last.toString(36)}`;
  };
  return (request) => requestIdOf(request, newId);
}
