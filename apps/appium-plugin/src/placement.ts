import type { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Log } from '@svc/auth-core';
import { HEADERS, UNKNOWN_SESSION_BODY } from '@svc/contract';
import { type AppiumGate, authorizedAs, type GateContext, type Upstream } from '@svc/webdriver-gate';
import type { AppiumServer, FrontHandler } from './appium-types.ts';
import { closeAfterRepeat } from './repairs/repeated-responses.ts';

type RequestListener = (req: IncomingMessage, res: ServerResponse) => void;
type UpgradeListener = (req: IncomingMessage, socket: Duplex, head: Buffer) => void;

/**
 * Removes Appium's listeners from its server, so that the gate (the part that checks each WebDriver request) can take
 * their place. Returns functions that call the listeners. The functions store the gate's result for a request in
 * `contexts`, where the hooks of the plugin read it.
 */
export function takeListeners(server: Server, contexts: AsyncLocalStorage<GateContext>): Upstream {
  const requests = server.listeners('request') as RequestListener[];
  const upgrades = server.listeners('upgrade') as UpgradeListener[];
  server.removeAllListeners('request');
  server.removeAllListeners('upgrade');
  const call: RequestListener = (req, res) => {
    if (req.headers['x-idempotency-key'] !== undefined) closeAfterRepeat(req, res);
    for (const listener of requests) listener.call(server, req, res);
  };
  return {
    request: (req, res, context) =>
      context === undefined ? call(req, res) : contexts.run(context, call, req, res),
    upgrade: (req, socket, head) => {
      for (const listener of upgrades) listener.call(server, req, socket, head);
    },
  };
}

/**
 * Adds the gate, which checks each WebDriver request, as the server's listener in place of Appium's. An `upgrade`
 * listener is added only if Appium had one: without such a listener, Node passes upgrade requests to the `request`
 * listener, and this must not change.
 */
export function placeGate(server: Server, gate: AppiumGate, hadUpgrade: boolean): void {
  server.on('request', gate.request);
  if (hadUpgrade) server.on('upgrade', gate.upgrade);
}

/**
 * Checks, when the server begins to listen, that svc's gate is its only listener for requests. If another plugin has
 * added a listener, the process exits, because there is no other way to refuse the start.
 */
export function watchPlacement(server: Server, gate: AppiumGate, hadUpgrade: boolean, log: Log): void {
  server.once('listening', () => {
    if (isFirst(server, gate, hadUpgrade)) return;
    log.error('Another plugin has put itself in front of svc; list svc last in --use-plugins. Not starting.');
    process.exit(1);
  });
}

/**
 * Events that must have no listeners. With a listener for one of them, Node does not emit `request` for requests with
 * an `Expect` header, so svc would not check these requests.
 */
const BYPASS_EVENTS = ['checkContinue', 'checkExpectation'];

function isFirst(server: Server, gate: AppiumGate, hadUpgrade: boolean): boolean {
  const only = (event: string, listener: unknown) => {
    const listeners = server.listeners(event);
    return listeners.length === 1 && listeners[0] === listener;
  };
  return (
    only('request', gate.request) &&
    (hadUpgrade ? only('upgrade', gate.upgrade) : server.listenerCount('upgrade') === 0) &&
    BYPASS_EVENTS.every((event) => server.listenerCount(event) === 0) &&
    !Object.hasOwn(server, 'emit')
  );
}

/**
 * Makes `server.listen` wait for `check`, so that the check runs after Appium and its plugins have installed everything
 * and before the port is opened. If the check resolves to false, the process exits.
 */
export function checkBeforeListening(server: Server, check: () => Promise<boolean>): void {
  const listen = server.listen.bind(server) as (...args: unknown[]) => Server;
  server.listen = ((...args: unknown[]) => {
    void check().then((passed) => (passed ? listen(...args) : process.exit(1)));
    return server;
  }) as Server['listen'];
}

/**
 * Adds a check between the gate (the first check of each WebDriver request) and Appium's routes, because Express parses
 * the path in its own way. If Express would route a request to a session for which the gate did not authorize it, the
 * request gets 404. This is one handler instead of several routes, because each route before Appium's own slows every
 * command down.
 * @param then handles a request that Express routes to an existing session for which the gate authorized it
 */
export function setTripwire(server: AppiumServer, gate: AppiumGate, log: Log, then: FrontHandler): void {
  const router = server.frontRouter;
  if (router === undefined) throw new Error('svc needs Appium 3.7 or newer');
  // Matches at least every path that Express routes to a session, in any letter case and with or without a trailing
  // slash.
  const routes = routeOf(`${gate.targets.basePath}/session`, '(?:/([^/]*)|$)');
  router.use((req, res, next) => {
    const found = routes.exec(req.path);
    if (found === null || isAsPassed(req, found[1] ?? '')) {
      if (found?.[1]) then(req, res, next);
      else next();
      return;
    }
    const { requestId } = gate.originOf(req);
    log.error(`Tripwire: a request to a session bypassed the gate: ${req.method}`, { request: requestId });
    res.writeHead(404, {
      'content-type': 'application/json; charset=utf-8',
      [HEADERS.requestId]: requestId,
    });
    res.end(UNKNOWN_SESSION_BODY);
  });
}

/** Builds a pattern that matches `path` literally, then the pattern `rest`, and ignores case as Express does. */
export function routeOf(path: string, rest: string): RegExp {
  return new RegExp(`^${path.replace(/[.~-]/g, '\\$&')}${rest}`, 'i');
}

function isAsPassed(req: IncomingMessage, segment: string): boolean {
  const passed = authorizedAs(req);
  if (segment === '') return req.method !== 'POST' || passed?.kind === 'create';
  return passed?.kind === 'command' && passed.sessionId === decoded(segment);
}

/**
 * Decodes a path segment as Express does.
 * @returns undefined if the segment cannot be decoded, in which case Express refuses the path
 */
function decoded(segment: string): string | undefined {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}
