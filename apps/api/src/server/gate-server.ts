import { createServer, type IncomingMessage, type Server, type ServerOptions } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Gate } from '@svc/webdriver-gate';
import { localAddress } from '../runtime/local-address.ts';

/** How long running requests may take when the server stops (ms). */
const STOP_MS = 2_000;

/** A server that does not listen yet. */
export interface GateServer {
  readonly server: Server;
  /** Resolves when all requests have ended, after `STOP_MS` at the latest. */
  close(): Promise<void>;
}

/**
 * An HTTP server in front of a grid. The HTTP client of Java asks to upgrade every request to HTTP/2. With an `upgrade`
 * listener Node.js would not deliver these as requests, so only WebSocket upgrades are accepted as such. Releases of
 * Node.js without `shouldUpgradeCallback` get no listener: there all upgrades arrive as requests, which the gate detects.
 */
export function gateServer(gate: Pick<Gate, 'request' | 'upgrade'>): GateServer {
  const options = { shouldUpgradeCallback: isWebSocket } as ServerOptions;
  const server = createServer(options, gate.request) as Server & { shouldUpgradeCallback?: unknown };
  if (server.shouldUpgradeCallback === isWebSocket) server.on('upgrade', gate.upgrade);
  return closable(server);
}

function isWebSocket({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === 'websocket';
}

/** @returns the address of the server, once it listens */
export function listen(server: Server, { port, host }: { port: number; host: string }): Promise<string> {
  return new Promise((listening, failed) => {
    server.once('error', failed);
    server.listen(port, host, () => {
      server.off('error', failed);
      listening(localAddress(server) ?? `port ${(server.address() as AddressInfo).port}`);
    });
  });
}

/** Sessions and their sockets at the grid keep running. The connections of clients to this server are closed. */
function closable(server: Server): GateServer {
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  const close = async (): Promise<void> => {
    const closed = new Promise((done) => server.close(done));
    // `closeAllConnections` would leave upgraded connections open.
    const timer = setTimeout(() => {
      for (const socket of open) socket.destroy();
    }, STOP_MS);
    server.closeIdleConnections();
    await closed;
    clearTimeout(timer);
  };
  return { server, close };
}
