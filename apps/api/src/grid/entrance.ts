import { createServer, type IncomingMessage, type Server, type ServerOptions } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { answerExecuteMethod, type Gate, gridGate, gridUpstream, observed } from '@svc/webdriver-gate';
import { gridGateOptions } from '../gate-options.ts';
import type { App } from '../http-context.ts';
import { localAddress } from '../local-address.ts';
import type { Services } from '../services/services.ts';
import { siteOf } from '../site.ts';
import type { GridServices } from './open-grid.ts';

/** How long a request that is under way has when the server stops, in ms. */
const STOP_MS = 2_000;

/** The gate in front of a grid, and of the pages and the API. */
export function entranceServer(
  app: App,
  services: Services,
  grid: GridServices,
  basePath: string,
): EntranceServer {
  const { lab, clock, log } = services;
  const upstream = gridUpstream({
    client: grid.client,
    heard: grid.sessions,
    sessions: lab.sessions,
    basePath,
    clock,
    log,
    execute: (id, body, res) => answerExecuteMethod(lab, id, body, res),
  });
  const gate = gridGate(
    gridGateOptions(services, grid, {
      basePath,
      upstream: observed(upstream, { commandLog: lab.commandLog, sessions: lab.sessions, clock }),
      site: siteOf(app),
    }),
  );
  services.metrics.follow(gate.counts);
  const { url } = grid.client.address;
  log.info(`This server is the entrance of the grid at ${url}${grid.client.address.basePath}`);
  if (gate.checksCommands) log.info('Per-command auth is ON');
  return serverOf(gate);
}

/**
 * Where Node cannot be told which upgrades to deliver as such, all arrive as requests, and the gate knows: with an
 * `upgrade` listener those for other protocols, which the HTTP client of Java asks for with every request, would be
 * requests no more.
 */
export function serverOf(gate: Gate): EntranceServer {
  const options = { shouldUpgradeCallback: isWebSocket } as ServerOptions;
  const server = createServer(options, gate.request) as Server & { shouldUpgradeCallback?: unknown };
  if (server.shouldUpgradeCallback === isWebSocket) server.on('upgrade', gate.upgrade);
  return closable(server);
}

function isWebSocket({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === 'websocket';
}

/** Answers its address. */
export function listen(server: Server, { port, host }: { port: number; host: string }): Promise<string> {
  return new Promise((listening, failed) => {
    server.once('error', failed);
    server.listen(port, host, () => {
      server.off('error', failed);
      listening(localAddress(server) ?? `port ${(server.address() as AddressInfo).port}`);
    });
  });
}

/** A server that does not listen yet. */
export interface EntranceServer {
  readonly server: Server;
  /** Resolves when nothing is under way any more, or has had its time. */
  close(): Promise<void>;
}

/** Sessions and their sockets go on at the grid; those of its clients end here with what else is open. */
function closable(server: Server): EntranceServer {
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  const close = async (): Promise<void> => {
    const closed = new Promise((done) => server.close(done));
    // Not `closeAllConnections`: an upgraded one is no longer HTTP's.
    const timer = setTimeout(() => {
      for (const socket of open) socket.destroy();
    }, STOP_MS);
    server.closeIdleConnections();
    await closed;
    clearTimeout(timer);
  };
  return { server, close };
}
