import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Caller } from '@svc/auth-core';
import type { AccessTrail } from './access-trail.ts';
import type { CommandCheck } from './command-check.ts';
import type { OpenSockets } from './open-sockets.ts';
import type { GateOrigin, OriginOf } from './request-origin.ts';
import { type GateResponses, UNAUTHENTICATED, UNVERIFIED } from './responses.ts';
import { isWebSocketUpgrade } from './upgrade-socket.ts';

interface DriverRouteOptions {
  readonly basePath: string;
  readonly check: CommandCheck;
  readonly trail: Pick<AccessTrail, 'refused'>;
  readonly openSockets: Pick<OpenSockets, 'addOutside'>;
  readonly responses: GateResponses;
  readonly originOf: OriginOf;
}

/** The status of a bare answer (specification 5.7.7). */
type RefusedUpgrade = 404 | 503;

/** Who may have what is behind the gate besides sessions. */
export interface OutsideSessions {
  /** It is passed on without a look at its sender. `url`: the target as it was read. */
  isPublic(req: IncomingMessage, url: string): boolean;
  /** Answers those it does not let through. */
  handle(req: IncomingMessage, res: ServerResponse, pass: () => void): Promise<void>;
  /** The status of the bare answer to an upgrade; null: it is let through. */
  refusalOfUpgrade(req: IncomingMessage, url: string, socket: Duplex): Promise<RefusedUpgrade | null> | null;
}

/** What drivers and plugins offer outside a session is for those with any valid credential, while commands are checked. */
export class DriverRoutes implements OutsideSessions {
  readonly #options: DriverRouteOptions;

  constructor(options: DriverRouteOptions) {
    this.#options = options;
  }

  /** Appium's own status and preflights, and its BiDi service without a session (specification 5.7.7). */
  isPublic(req: IncomingMessage, url: string): boolean {
    const { basePath } = this.#options;
    const path = url.split('?', 1)[0] as string;
    if (req.method === 'OPTIONS' || path === '/' || path === `${basePath}/status`) return true;
    return isWebSocketUpgrade(req) && path === `${basePath}/bidi`;
  }

  async handle(req: IncomingMessage, res: ServerResponse, pass: () => void): Promise<void> {
    const { responses, originOf, openSockets } = this.#options;
    const from = originOf(req);
    const caller = await this.#callerOf(req, from);
    if (res.destroyed) return;
    if (isStatus(caller)) {
      if (isWebSocketUpgrade(req)) responses.bare(res, caller);
      else responses.error(req, res, caller === 503 ? UNVERIFIED : UNAUTHENTICATED, from.requestId);
      return;
    }
    // Answered like any request, it has become no WebSocket.
    if (isWebSocketUpgrade(req)) res.once('finish', openSockets.addOutside(req.socket, caller));
    pass();
  }

  refusalOfUpgrade(req: IncomingMessage, url: string, socket: Duplex): Promise<RefusedUpgrade | null> | null {
    return this.isPublic(req, url) ? null : this.#admitUpgrade(req, socket);
  }

  async #admitUpgrade(req: IncomingMessage, socket: Duplex): Promise<RefusedUpgrade | null> {
    const caller = await this.#callerOf(req, this.#options.originOf(req));
    if (isStatus(caller)) return caller;
    if (!socket.destroyed) this.#options.openSockets.addOutside(socket, caller);
    return null;
  }

  async #callerOf(req: IncomingMessage, from: GateOrigin): Promise<Caller | RefusedUpgrade> {
    const { check, trail } = this.#options;
    const caller = await check.callerOf(req, from);
    if (caller === 'unverified') return 503;
    if (caller !== null) return caller;
    const reason = 'no valid credentials';
    trail.refused({ from, route: 'driver route', actor: null, sessionId: null, reason });
    return 404;
  }
}

function isStatus(caller: Caller | RefusedUpgrade): caller is RefusedUpgrade {
  return typeof caller === 'number';
}
