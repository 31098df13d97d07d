import { AsyncLocalStorage } from 'node:async_hooks';
import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { buildApp, clientFacts, type Deps, openDeps } from '@svc/api';
import { type Log, readConfig } from '@svc/auth-core';
import { virtualPhones } from '@svc/device-lab';
import {
  type Behind,
  Gate,
  type GateContext,
  isMarkedSensitive,
  observed,
  refuseUpgrade,
} from '@svc/webdriver-gate';
import { appiumLog, installLogFilters } from './appium-log.ts';
import type { AppiumServer, ExpressApp, ServerArgs } from './appium-types.ts';
import { provesClean } from './canary.ts';
import { makeForExpress } from './express-prototypes.ts';
import { Lifecycle } from './lifecycle.ts';
import { ownCommands } from './own-commands.ts';
import { checkBeforeListening, placeGate, setTripwire, takeListeners, watchPlacement } from './placement.ts';
import { sayReport } from './say-report.ts';

export interface Mount {
  readonly lifecycle: Lifecycle;
  /** Whether the running code answers this server's start-up check. */
  isProbing(): boolean;
}

type App = Awaited<ReturnType<typeof buildApp>>;

/** Puts the service in front of an Appium server that is about to listen. A throw stops the server. */
export async function mount(express: ExpressApp, httpServer: Server, args: ServerArgs): Promise<Mount> {
  const server = httpServer as AppiumServer;
  const { config, warnings } = readConfig({
    env: process.env,
    options: args.plugin?.svc,
    homeDir: homedir(),
    readFile: (path) => readFileSync(path, 'utf8'),
    resolvePath: resolve,
  });
  const log = appiumLog(config.logLevel);
  await installLogFilters(args.logFilters);
  for (const warning of warnings) log.warn(warning);

  const { virtualDevices } = config;
  const devices = virtualDevices === null ? [] : virtualPhones(virtualDevices.count, virtualDevices.prefix);
  const deps = await openDeps({ config, log, devices });
  const app = await buildApp(deps, { basePath: (args.basePath ?? '').replace(/\/$/, '') });
  const contexts = new AsyncLocalStorage<GateContext>();
  const hadUpgrade = server.listenerCount('upgrade') > 0;
  const { lab, clock } = deps;
  const { commandLog, sessions } = lab;
  const behind = observed(takeListeners(server, contexts), { commandLog, sessions, clock });
  const gate = new Gate({ ...config, ...gateFacts(args, deps), behind, site: siteOf(app, log) });
  placeGate(server, gate, hadUpgrade);
  watchPlacement(server, gate, hadUpgrade, log);
  const strict = gate.checksCommands || (config.requireSessionToken && !config.authDisabled);
  checkBeforeListening(server, () => provesClean(server, gate, { strict, log }));
  const lifecycle = new Lifecycle({ gate, lab, contexts, log });
  setTripwire(server, gate, log, ownCommands(gate.targets.basePath, lab, lifecycle));
  const report = sayReport(deps);
  closeWith(server, app, deps, report);
  makeForExpress(server, express);
  if (gate.checksCommands) log.info('Per-command auth is ON');
  return { lifecycle, isProbing: () => contexts.getStore()?.kind === 'probe' };
}

function gateFacts(args: ServerArgs, deps: Deps) {
  const { lab, authenticator, stores, clock, log, refusals, wouldRefuse } = deps;
  const { addressOf } = clientFacts(deps.config.trustedProxies);
  return {
    refusals,
    wouldRefuse,
    addressOf,
    basePath: args.basePath ?? '',
    cors: args.allowCors ?? false,
    lab,
    authenticator,
    stores,
    clock,
    log,
  };
}

/** The pages and the API, without a server of their own. */
function siteOf(app: App, log: Log): Behind {
  return {
    request: (req, res) => {
      // As Appium writes it of a request of its own (specification 5.5.1); others of ours it does not hear of.
      if (isMarkedSensitive(req)) log.info(`--> ${req.method} ${req.url?.split('?', 1)[0]} **SECURE**`);
      app.routing(req, res);
    },
    upgrade: (req, socket, head) => {
      if (app.server.emit('upgrade', req, socket, head)) return;
      refuseUpgrade(socket, 404);
    },
  };
}

/** The process exits soon after Appium's own `close`, so ours is awaited before it. */
function closeWith(server: AppiumServer, app: App, deps: Deps, report: { stop(): void }): void {
  const original = server.close.bind(server) as () => Promise<void>;
  const close = async (): Promise<void> => {
    await app.close();
    report.stop();
    await deps.close();
    await original();
  };
  server.close = close as unknown as typeof server.close;
}
