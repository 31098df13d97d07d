import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** How long a client may take, in ms; what it is sent or waits for is not counted. */
export interface ClientLimits {
  /** From the first byte of a request, or the connection, to the end of its headers. */
  readonly headersMs: number;
  /** From the connection to its first byte. */
  readonly silentMs: number;
  /** How often the first of them is looked at. */
  readonly checkEveryMs: number;
}

const CLIENT_LIMITS: ClientLimits = { headersMs: 30_000, silentMs: 60_000, checkEveryMs: 5_000 };

export interface ConnectionLimit {
  /** Open connections of one peer; 0: no limit. */
  readonly maxConnections: number;
  /** Not counted: a proxy brings the connections of many. */
  readonly isTrustedProxy: (address: string) => boolean;
}

/**
 * Bounds what a client that sends slowly or not at all can hold open. Call before the server listens. A request that
 * is there whole is Node's no more to time: a command that takes long, its answer and an upgraded socket are not
 * touched.
 */
export function limitClients(
  server: Server,
  { maxConnections, isTrustedProxy }: ConnectionLimit,
  { headersMs, silentMs, checkEveryMs }: ClientLimits = CLIENT_LIMITS,
): void {
  const checked = server as Server & { connectionsCheckingInterval?: number };
  checked.connectionsCheckingInterval = Math.min(
    checked.connectionsCheckingInterval ?? checkEveryMs,
    checkEveryMs,
  );
  // Appium sets its own, of ten minutes, when it begins to listen.
  server.once('listening', () => {
    server.headersTimeout = headersMs;
  });
  const open = new Map<string, number>();
  server.on('connection', (socket: Socket) => {
    closeSilent(socket, silentMs);
    const peer = socket.remoteAddress;
    if (maxConnections === 0 || peer === undefined || isTrustedProxy(peer)) return;
    const count = open.get(peer) ?? 0;
    if (count >= maxConnections) {
      socket.destroy();
      return;
    }
    open.set(peer, count + 1);
    socket.once('close', () => {
      const left = (open.get(peer) ?? 1) - 1;
      if (left > 0) open.set(peer, left);
      else open.delete(peer);
    });
  });
}

function closeSilent(socket: Socket, silentMs: number): void {
  const timer = setTimeout(() => {
    if (socket.bytesRead === 0) socket.destroy();
  }, silentMs).unref();
  socket.once('close', () => clearTimeout(timer));
}
