import { createServer, type IncomingMessage, type Server, type ServerOptions } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerExecuteMethod, Gate, gridUpstream, observed } from '@svc/webdriver-gate';
import { gateOptions } from '../gate-options.ts';
import type { App } from '../http-context.ts';
import { localAddress } from '../local-address.ts';
import type { Services } from '../services/services.ts';
import { siteOf } from '../site.ts';
import type { GridServices } from './open-grid.ts';

/** How long a request that is under way has when the server stops, in ms. */
const STOP_MS = 2_000;

/** A server with the gate in front of a grid, and of the pages and the API; it does not listen yet. */
export function entranceServer(app: App, services: Services, grid: GridServices, basePath: string): Server {
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
  const gate = new Gate(
    gateOptions(services, {
      basePath,
      cors: false,
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
export function serverOf(gate: Gate): Server {
  const options = { shouldUpgradeCallback: isWebSocket } as ServerOptions;
  const server = createServer(options, gate.request) as Server & { shouldUpgradeCallback?: unknown };
  if (server.shouldUpgradeCallback === isWebSocket) server.on('upgrade', gate.upgrade);
  return server;
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

/** Resolves when nothing is under way any more, or has had its time. */
export async function close(server: Server): Promise<void> {
  const closed = new Promise((done) => server.close(done));
  const timer = setTimeout(() => server.closeAllConnections(), STOP_MS);
  server.closeIdleConnections();
  await closed;
  clearTimeout(timer);
}
