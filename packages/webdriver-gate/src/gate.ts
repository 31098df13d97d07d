import type { IncomingMessage, RequestListener } from 'node:http';
import type { Duplex } from 'node:stream';
import { isWebSocketUpgrade } from '@svc/outbound';
import type { AdmissionCounts } from './admission.ts';
import type { CheckCounts } from './command-check.ts';
import type { DriverRoutes } from './driver-routes.ts';
import type { Upstream } from './forward.ts';
import type { GateParts } from './gate-parts.ts';
import type { Handler, Handlers } from './handlers.ts';
import type { OpenSockets } from './open-sockets.ts';
import type { SocketGate } from './sockets.ts';
import { Upgrades } from './upgrades.ts';
import { closeWithConnection } from './waiting-responses.ts';

/** Number of create-session requests and commands since this server started, by what the gate decided about them. */
export interface GateCounts {
  readonly creates: Readonly<AdmissionCounts>;
  readonly commands: Readonly<CheckCounts>;
}

/**
 * The gate in front of an HTTP server. It gets every request and upgrade before all other handlers, checks it, and
 * forwards or refuses it. It removes the credentials from create-session requests even if commands are not checked.
 */
export interface Gate {
  /** Whether commands are checked, which requires that sign-in is on too (specification 5.7.9). */
  readonly checksCommands: boolean;
  readonly counts: GateCounts;
  /** Handles a request, or an upgrade that Node delivers as a request. */
  readonly request: RequestListener;
  /**
   * Handles an upgrade that Node delivers as the event `upgrade`. Node releases without `shouldUpgradeCallback` deliver
   * it as a request instead.
   */
  readonly upgrade: (req: IncomingMessage, socket: Duplex, head: Buffer) => void;
}

interface GateShape {
  readonly handlers: Handlers;
  readonly sockets: SocketGate;
  readonly openSockets: OpenSockets;
  /** Checks upgrades that do not belong to a session. Null or absent if all of them are let through. */
  readonly outside?: Pick<DriverRoutes, 'refusalOfUpgrade'> | null;
  readonly site: Upstream;
  readonly counts: GateCounts;
}

/** Creates a gate for one kind of server (Appium or a grid) from its request handlers and its checks of WebSockets. */
export function gateOf(shape: GateShape, parts: GateParts): Gate {
  const { accessLines, checksCommands, forwarding, responses, targets } = parts;
  /** Classifies the target of a request and calls the handler for it. */
  const route: RequestListener = (req, res) => {
    const target = targets.classify(req.url ?? '');
    // Do not log requests to the service's own pages and API, because the service logs them itself.
    if (accessLines !== null && target.kind !== 'site') accessLines.request(req, res);
    const handle = shape.handlers[target.kind] as Handler;
    handle(req, res, target);
  };
  const upgrades = new Upgrades({ ...shape, forwarding, responses, route });
  return {
    checksCommands,
    counts: shape.counts,
    request: (req, res) => {
      if (res.socket === null) closeWithConnection(req, res);
      if (isWebSocketUpgrade(req)) {
        accessLines?.upgrade(req, req.socket);
        upgrades.handleDisguised(req, res);
      } else route(req, res);
    },
    upgrade: (req, socket, head) => {
      accessLines?.upgrade(req, socket);
      upgrades.handle(req, socket, head);
    },
  };
}
