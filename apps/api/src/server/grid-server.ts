import { answerExecuteMethod, gridGate, gridUpstream, observed, screenshotsVia } from '@svc/webdriver-gate';
import type { GridServices } from '../grid/open-grid.ts';
import type { App } from '../http/http-context.ts';
import type { Services } from '../services/services.ts';
import { gridGateOptions } from './gate-options.ts';
import { type GateServer, gateServer } from './gate-server.ts';
import { siteOf } from './site.ts';

/**
 * Creates the server in front of a grid that has the database. It serves the pages and the API, checks each WebDriver
 * request, and forwards it to the grid.
 */
export function gridServer(app: App, services: Services, grid: GridServices, basePath: string): GateServer {
  const { modules, clock, log } = services;
  const { lab } = modules.lab.offers;
  const upstream = gridUpstream({
    client: grid.client,
    events: grid.sessions,
    sessions: lab.sessions,
    basePath,
    clock,
    log,
    execute: (id, body, res) => answerExecuteMethod(lab, id, body, res),
  });
  modules.recordings.offers.recorder.takeScreenshots(screenshotsVia(upstream, basePath));
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
  const gated = gateServer(gate);
  modules.agents.offers.webDriver.behind({ server: gated.server, basePath });
  return gated;
}
