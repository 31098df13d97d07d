import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { DriverRoutes } from './driver-routes.ts';
import type { Forwarding, Upstream } from './forward.ts';
import type { OpenSockets } from './open-sockets.ts';
import type { GateResponses } from './responses.ts';
import type { SocketDecision, SocketGate } from './sockets.ts';
import { guardSocket, leaveHttpOnceTaken, refuseUpgrade } from './upgrade-socket.ts';

interface UpgradeOptions {
  readonly sockets: SocketGate;
  readonly openSockets: Pick<OpenSockets, 'add' | 'addUnchecked'>;
  /** Checks upgrades that do not belong to a session. Null or absent if all of them are let through. */
  readonly outside?: Pick<DriverRoutes, 'refusalOfUpgrade'> | null;
  readonly forwarding: Forwarding;
  readonly site: Upstream;
  readonly responses: GateResponses;
  /** Handles an ordinary request. */
  readonly route: (req: IncomingMessage, res: ServerResponse) => void;
}

type Passed = Extract<SocketDecision, { kind: 'pass' | 'undecided' }>;

/**
 * Forwards or refuses WebSocket upgrades as `SocketGate` decides. Node may deliver an upgrade as an event or as a
 * request.
 */
export class Upgrades {
  readonly #options: UpgradeOptions;

  constructor(options: UpgradeOptions) {
    this.#options = options;
  }

  /**
   * Handles an upgrade that Node delivers as the event `upgrade`. Node releases without `shouldUpgradeCallback` deliver
   * it as a request instead (see `handleDisguised`).
   */
  handle(req: IncomingMessage, socket: Duplex, head: Buffer): void {
    const release = guardSocket(socket);
    const { sockets } = this.#options;
    whenSettled(sockets.decide(req), (decision) => {
      if (socket.destroyed) return;
      if (decision.kind !== 'undecided') {
        this.#act(req, socket, head, decision, release);
        return;
      }
      const { outside } = this.#options;
      whenSettled(outside?.refusalOfUpgrade(req, decision.url, socket) ?? null, (status) => {
        if (socket.destroyed) return;
        this.#act(req, socket, head, status === null ? decision : { kind: 'refuse', status }, release);
      });
    });
  }

  #act(
    req: IncomingMessage,
    socket: Duplex,
    head: Buffer,
    decision: SocketDecision,
    release: () => void,
  ): void {
    const { forwarding, site } = this.#options;
    if (decision.kind === 'refuse') {
      refuseUpgrade(socket, decision.status);
      return;
    }
    if (decision.kind !== 'site' && this.#counted(socket, decision) === null) {
      refuseUpgrade(socket, 429);
      return;
    }
    release();
    if (decision.kind === 'site') {
      req.url = decision.url;
      site.upgrade(req, socket, head);
    } else forwarding.upgrade(req, socket, head, decision.url);
  }

  /**
   * Counts a WebSocket as open if it belongs to a session.
   * @returns a function that stops counting it, or null if the session or the account has too many open WebSockets
   */
  #counted(socket: Duplex, decision: Passed): (() => void) | null {
    const { openSockets } = this.#options;
    const { sessionId } = decision;
    if (sessionId === null) return () => undefined;
    return decision.caller !== null
      ? openSockets.add(socket, {
          caller: decision.caller,
          sessionId,
          until: decision.kind === 'pass' ? decision.until : undefined,
        })
      : openSockets.addUnchecked(socket, sessionId);
  }

  /** Handles an upgrade that an older Node release delivers as a request. Sends at most one response. */
  handleDisguised(req: IncomingMessage, res: ServerResponse): void {
    const { sockets, responses } = this.#options;
    whenSettled(sockets.decide(req), (decision) => {
      // Check the socket too. If this request waits behind another one on the same connection, `res` is not yet bound
      // to the socket and is not destroyed with it.
      if (res.destroyed || req.socket.destroyed) return;
      if (decision.kind === 'refuse') {
        responses.bare(res, decision.status);
        return;
      }
      if (decision.kind === 'site') {
        leaveHttpOnceTaken(req, res);
        this.#disguisedSite(req, res, decision.url);
        return;
      }
      const forget = this.#counted(req.socket, decision);
      if (forget === null) {
        responses.bare(res, 429);
        return;
      }
      leaveHttpOnceTaken(req, res);
      // If an ordinary response finishes, the upgrade was refused, so stop counting this connection as an open
      // WebSocket.
      res.once('finish', forget);
      this.#passDisguised(req, res, decision);
    });
  }

  #passDisguised(req: IncomingMessage, res: ServerResponse, { kind, url }: Passed): void {
    const { forwarding, route } = this.#options;
    if (kind === 'pass') forwarding.disguisedUpgrade(req, res, url);
    else {
      req.url = url;
      route(req, res);
    }
  }

  #disguisedSite(req: IncomingMessage, res: ServerResponse, url: string): void {
    // `res` has no socket while an earlier response on the same connection is not complete. The socket cannot be taken
    // over then, so refuse the upgrade.
    if (res.socket === null) {
      this.#options.responses.bare(res, 404);
      return;
    }
    req.url = url;
    res.detachSocket(req.socket);
    this.#options.site.upgrade(req, req.socket, Buffer.alloc(0));
  }
}

/**
 * Calls `act` with the value: synchronously if `value` is no promise, and otherwise when the promise resolves. The
 * promise must never reject.
 */
function whenSettled<Value>(value: Value | Promise<Value>, act: (value: Value) => void): void {
  if (value instanceof Promise) void value.then(act);
  else act(value);
}
