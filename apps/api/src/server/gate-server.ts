import { createServer, type Server, type ServerOptions } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { isWebSocketUpgrade } from '@svc/outbound';
import type { Gate } from '@svc/webdriver-gate';
import { localAddress } from '../runtime/local-address.ts';

/** Maximum time to wait for open requests when the server stops (ms). */
const STOP_MS = 2_000;

/** HTTP server in front of a grid. The caller makes it listen. */
export interface GateServer {
  readonly server: Server;
  /**
   * Stops the server. Resolves when all requests have ended; after `STOP_MS` the remaining connections are destroyed.
   */
  close(): Promise<void>;
}

/**
 * Creates an HTTP server in front of a grid. Java's HTTP client offers to upgrade every request to HTTP/2, and these
 * requests must be served as ordinary requests. If a server has an `upgrade` listener, Node.js passes all upgrades to
 * this listener, so `shouldUpgradeCallback` selects the WebSocket upgrades. Releases of Node.js without
 * `shouldUpgradeCallback` get no listener: all upgrades then arrive as requests, and `gate.request` detects the
 * WebSocket upgrades among them.
 */
export function gateServer(gate: Pick<Gate, 'request' | 'upgrade'>): GateServer {
  const options = { shouldUpgradeCallback: isWebSocketUpgrade } as ServerOptions;
  const server = createServer(options, gate.request) as Server & { shouldUpgradeCallback?: unknown };
  if (server.shouldUpgradeCallback === isWebSocketUpgrade) server.on('upgrade', gate.upgrade);
  return closable(server);
}

/**
 * Makes the server listen on a port.
 * @returns the address of the server
 */
export function listen(server: Server, { port, host }: { port: number; host: string }): Promise<string> {
  return new Promise((listening, failed) => {
    server.once('error', failed);
    server.listen(port, host, () => {
      server.off('error', failed);
      listening(localAddress(server) ?? `port ${(server.address() as AddressInfo).port}`);
    });
  });
}

/** Returns a server that closes the clients' connections when it is closed. Sessions in the grid keep running. */
function closable(server: Server): GateServer {
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  const close = async (): Promise<void> => {
    const closed = new Promise((done) => server.close(done));
    // Sockets are destroyed here, because `closeAllConnections` of Node.js would leave upgraded connections open.
    const timer = setTimeout(() => {
      for (const socket of open) socket.destroy();
    }, STOP_MS);
    server.closeIdleConnections();
    await closed;
    clearTimeout(timer);
  };
  return { server, close };
}
