import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Caller } from '@svc/auth-core';
import { isWebSocketUpgrade } from '@svc/outbound';
import type { AccessTrail } from './access-trail.ts';
import type { CommandCheck } from './command-check.ts';
import { ClientGone } from './create-body.ts';
import type { OpenSockets } from './open-sockets.ts';
import type { GateOrigin, OriginOf } from './request-origin.ts';
import { type GateResponses, notCreated, UNAUTHENTICATED, UNVERIFIED, WebDriverError } from './responses.ts';
import type { StorageRoutes } from './storage-routes.ts';
import type { UpgradeRefusal } from './upgrade-socket.ts';

interface DriverRouteOptions {
  readonly basePath: string;
  readonly check: CommandCheck;
  readonly trail: Pick<AccessTrail, 'refused'>;
  readonly openSockets: Pick<OpenSockets, 'addOutside'>;
  readonly storage: Pick<StorageRoutes, 'check' | 'mayUpgrade'>;
  readonly responses: GateResponses;
  readonly originOf: OriginOf;
}

/**
 * Requires a valid credential for routes outside sessions, such as those that drivers and plugins add. Used while
 * commands are checked.
 */
export class DriverRoutes {
  readonly #options: DriverRouteOptions;

  constructor(options: DriverRouteOptions) {
    this.#options = options;
  }

  /**
   * Returns whether the request needs no credential: the page `/`, the icon that browsers request, Appium's status, a
   * preflight, or BiDi without a session (specification 5.7.7).
   */
  isPublic(req: IncomingMessage, url: string): boolean {
    const { basePath } = this.#options;
    const path = url.split('?', 1)[0] as string;
    if (req.method === 'OPTIONS' || path === '/' || path === `${basePath}/status`) return true;
    if (isWebSocketUpgrade(req)) return path === `${basePath}/bidi`;
    return path === '/favicon.ico' && (req.method === 'GET' || req.method === 'HEAD');
  }

  /**
   * Calls `pass` if the sender has a valid credential and may use the route. Otherwise responds with an error.
   * @param url the classified target, without scheme and host
   */
  async handle(req: IncomingMessage, res: ServerResponse, url: string, pass: () => void): Promise<void> {
    const { responses, originOf, openSockets, storage } = this.#options;
    const from = originOf(req);
    const caller = await this.#callerOf(req, from);
    if (res.destroyed || req.socket.destroyed) return;
    if (isStatus(caller)) {
      if (isWebSocketUpgrade(req)) responses.bare(res, caller);
      else responses.error(req, res, caller === 503 ? UNVERIFIED : UNAUTHENTICATED, from.requestId);
      return;
    }
    if (isWebSocketUpgrade(req)) {
      if (!storage.mayUpgrade(url, caller)) {
        responses.bare(res, this.#refusedUpgrade(caller, from));
        return;
      }
      const forget = openSockets.addOutside(req.socket, caller);
      if (forget === null) {
        responses.bare(res, 429);
        return;
      }
      // If an ordinary response finishes, the upgrade was refused, so stop counting this connection as an open socket.
      res.once('finish', forget);
    } else if (!(await this.#passesStorage(req, res, url, { caller, from }))) return;
    pass();
  }

  async #passesStorage(
    req: IncomingMessage,
    res: ServerResponse,
    url: string,
    { caller, from }: { caller: Caller; from: GateOrigin },
  ): Promise<boolean> {
    const { storage, responses, trail } = this.#options;
    try {
      await storage.check(req, res, { url, caller });
      return !res.destroyed;
    } catch (error) {
      if (error instanceof ClientGone) return false;
      const refused =
        error instanceof WebDriverError ? error : notCreated('the request could not be checked');
      if (refused.w3cStatus === 403 || refused.w3cStatus === 409)
        trail.refused({
          from,
          route: 'driver route',
          actor: caller.account.id,
          sessionId: null,
          reason: refused.message,
        });
      responses.error(req, res, refused, from.requestId);
      return false;
    }
  }

  #refusedUpgrade(caller: Caller, from: GateOrigin): UpgradeRefusal {
    const reason = 'not an upload of the caller';
    const actor = caller.account.id;
    this.#options.trail.refused({ from, route: 'driver route', actor, sessionId: null, reason });
    return 404;
  }

  /**
   * Checks an upgrade that does not belong to a session.
   * @returns the status with which to refuse the upgrade, or null to let it through
   */
  refusalOfUpgrade(req: IncomingMessage, url: string, socket: Duplex): Promise<UpgradeRefusal | null> | null {
    return this.isPublic(req, url) ? null : this.#admitUpgrade(req, url, socket);
  }

  async #admitUpgrade(req: IncomingMessage, url: string, socket: Duplex): Promise<UpgradeRefusal | null> {
    const { originOf, storage, openSockets } = this.#options;
    const from = originOf(req);
    const caller = await this.#callerOf(req, from);
    if (isStatus(caller)) return caller;
    if (socket.destroyed) return null;
    if (!storage.mayUpgrade(url, caller)) return this.#refusedUpgrade(caller, from);
    return openSockets.addOutside(socket, caller) === null ? 429 : null;
  }

  async #callerOf(req: IncomingMessage, from: GateOrigin): Promise<Caller | UpgradeRefusal> {
    const { check, trail } = this.#options;
    const caller = await check.callerOf(req, from);
    if (caller === 'unverified') return 503;
    if (caller !== null) return caller;
    const reason = 'no valid credentials';
    trail.refused({ from, route: 'driver route', actor: null, sessionId: null, reason });
    return 404;
  }
}

function isStatus(caller: Caller | UpgradeRefusal): caller is UpgradeRefusal {
  return typeof caller === 'number';
}
