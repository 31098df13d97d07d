import type { IncomingMessage, RequestListener } from 'node:http';
import type { Duplex } from 'node:stream';
import type { AdmissionCounts } from './admission.ts';
import type { CheckCounts } from './command-check.ts';
import type { DriverRoutes } from './driver-routes.ts';
import type { Upstream } from './forward.ts';
import type { GateParts } from './gate-parts.ts';
import { type Handlers, routing } from './handlers.ts';
import type { OpenSockets } from './open-sockets.ts';
import type { SocketGate } from './sockets.ts';
import { isWebSocketUpgrade } from './upgrade-socket.ts';
import { Upgrades } from './upgrades.ts';

/** How requests were decided since the start, as plain numbers. */
export interface GateCounts {
  readonly creates: Readonly<AdmissionCounts>;
  readonly commands: Readonly<CheckCounts>;
}

/**
 * The front door of an HTTP server. It sees every request and upgrade before anything else there does, and removes
 * credentials from every create, whether or not commands are checked.
 */
export interface Gate {
  /** Whether commands are checked: required, and sign-in is on (specification 5.7.9). */
  readonly checksCommands: boolean;
  readonly counts: GateCounts;
  /** A request, or an upgrade that Node delivers as one. */
  readonly request: RequestListener;
  /** An upgrade as Node releases with `shouldUpgradeCallback` deliver it. */
  readonly upgrade: (req: IncomingMessage, socket: Duplex, head: Buffer) => void;
}

interface GateShape {
  readonly handlers: Handlers;
  readonly sockets: SocketGate;
  readonly openSockets: OpenSockets;
  /** Checks upgrades outside sessions; absent if all of them pass. */
  readonly outside?: Pick<DriverRoutes, 'refusalOfUpgrade'> | null;
  readonly site: Upstream;
  readonly counts: GateCounts;
}

/** The gate of one shape: its handlers, and its decisions about sockets. */
export function gateOf(shape: GateShape, parts: GateParts): Gate {
  const { accessLines, checksCommands, forwarding, responses } = parts;
  const route = routing(parts, shape.handlers);
  const upgrades = new Upgrades({ ...shape, forwarding, responses, route });
  return {
    checksCommands,
    counts: shape.counts,
    request: (req, res) => {
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
