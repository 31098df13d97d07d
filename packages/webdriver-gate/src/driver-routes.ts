import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AccessTrail } from './access-trail.ts';
import type { CommandCheck } from './command-check.ts';
import type { GateOrigin, OriginOf } from './request-origin.ts';
import { type GateResponses, UNAUTHENTICATED, UNVERIFIED } from './responses.ts';
import { isWebSocketUpgrade } from './upgrade-socket.ts';

interface DriverRouteOptions {
  readonly basePath: string;
  readonly check: CommandCheck;
  readonly trail: Pick<AccessTrail, 'refused'>;
  readonly responses: GateResponses;
  readonly originOf: OriginOf;
}

/** What drivers and plugins offer outside a session is for those with any valid credential, while commands are checked. */
export class DriverRoutes {
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

  /** Answers those it does not let through. */
  async handle(req: IncomingMessage, res: ServerResponse, pass: () => void): Promise<void> {
    const { responses, originOf } = this.#options;
    const from = originOf(req);
    const refusal = await this.#refusal(req, from);
    if (res.destroyed) return;
    if (refusal === null) pass();
    else if (isWebSocketUpgrade(req)) responses.bare(res, refusal);
    else responses.error(req, res, refusal === 503 ? UNVERIFIED : UNAUTHENTICATED, from.requestId);
  }

  /** The status of the bare answer to an upgrade; null: it is let through. */
  refusalOfUpgrade(req: IncomingMessage, url: string): Promise<404 | 503 | null> | null {
    return this.isPublic(req, url) ? null : this.#refusal(req, this.#options.originOf(req));
  }

  async #refusal(req: IncomingMessage, from: GateOrigin): Promise<404 | 503 | null> {
    const { check, trail } = this.#options;
    const caller = await check.callerOf(req, from);
    if (caller === 'unverified') return 503;
    if (caller !== null) return null;
    const reason = 'no valid credentials';
    trail.refused({ from, route: 'driver route', actor: null, sessionId: null, reason });
    return 404;
  }
}
