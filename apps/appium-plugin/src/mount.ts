import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingMessage, Server } from 'node:http';
import {
  appiumGateOptions,
  hideSettings,
  LaterSite,
  limitClients,
  openServices,
  processSources,
  refuseOldNode,
  reportSettings,
  type Services,
} from '@svc/api';
import type { Log } from '@svc/auth-core';
import type { DeviceLab } from '@svc/device-lab';
import { readConfig, readEntranceSettings } from '@svc/settings';
import {
  answerExecuteMethod,
  appiumGate,
  CallbackAddresses,
  clientFacts,
  type GateContext,
  isMarkedSensitive,
  observed,
  RunningCommands,
  screenshotsVia,
  type Upstream,
  withNodes,
} from '@svc/webdriver-gate';
import { appiumLog, installLogFilters, maskInChildProcesses } from './appium-log.ts';
import type { AppiumServer, ExpressApp, ServerArgs } from './appium-types.ts';
import { limitBidi } from './bidi-limits.ts';
import { provesClean } from './canary.ts';
import { type CreateHook, hookCreates } from './direct-creates.ts';
import { DriverCallbacks } from './driver-callbacks.ts';
import { executeMethods } from './execute-methods.ts';
import { serveHomePage } from './home-page.ts';
import { Lifecycle } from './lifecycle.ts';
import { localLab } from './local-lab.ts';
import { logReport } from './log-report.ts';
import { checkBeforeListening, placeGate, setTripwire, takeListeners, watchPlacement } from './placement.ts';
import { containSockets } from './repairs/contained-sockets.ts';
import { makeForExpress } from './repairs/express-prototypes.ts';
import { limitHttp2 } from './repairs/http2-limits.ts';
import { escapeLogLines } from './repairs/log-lines.ts';

export interface Mount {
  /** Hooks that Appium calls to create a session and to list sessions. */
  readonly createSession: CreateHook;
  listSessions(next: () => Promise<unknown>): Promise<unknown>;
  /** Returns whether the calling code handles the start-up check of this server. */
  isProbing(): boolean;
}

/** Address that Appium listens on by default. */
const APPIUM_ADDRESS = '0.0.0.0';

/** Delay in ms between listening and building the pages and the API. A request to them builds them earlier. */
const BUILD_SITE_AFTER_MS = 1_000;

/** Puts svc in front of an Appium server that is about to listen. If this throws, the server stops. */
export async function mount(express: ExpressApp, httpServer: Server, args: ServerArgs): Promise<Mount> {
  refuseOldNode();
  const server = httpServer as AppiumServer;
  const sources = processSources(args.plugin?.svc);
  const { config, warnings } = readConfig(sources);
  if (readEntranceSettings(sources).upstream !== null)
    throw new Error(
      'SVC_UPSTREAM is only for the API without Appium; Appium with this plugin cannot be an entrance of a grid',
    );
  const log = appiumLog(config.logLevel);
  await installLogFilters(args.logFilters);
  escapeLogLines();
  reportSettings(log, config, warnings, args.address ?? APPIUM_ADDRESS);

  const services = await openServices({ config, log, localLab: localLab(), addsFirstAccountLater: true });
  services.announce(server);
  const site = new LaterSite(services, {
    basePath: (args.basePath ?? '').replace(/\/$/, ''),
    failed: (error) => {
      log.error('The pages and the API cannot be built. Stopping.', { error });
      process.exit(1);
    },
  });
  buildLater(site, server);
  // A database upgrade is final once the server listens, so the site, whose build can fail, is built before the server
  // listens.
  if (services.isUpgraded) await site.build();
  const contexts = new AsyncLocalStorage<GateContext>();
  const hadUpgrade = server.listenerCount('upgrade') > 0;
  const { modules, clock } = services;
  const { lab } = modules.lab.offers;
  const { commandLog } = lab;
  const local = takeListeners(server, contexts);
  modules.recordings.offers.recorder.takeScreenshots(
    screenshotsVia(local, (args.basePath ?? '').replace(/\/$/, '')),
  );
  const running = new RunningCommands();
  const addresses = new CallbackAddresses({
    running,
    lab,
    connections: services.openConnections,
    random: services.random,
  });
  const upstream = observed(reachingNodes(local, args, services), {
    commandLog,
    sessions: loggedHere(services),
    clock,
    running,
  });
  const logged = loggedSite(site, log);
  const gate = appiumGate(
    appiumGateOptions(services, {
      basePath: args.basePath ?? '',
      cors: args.allowCors ?? false,
      upstream,
      site: logged,
      callbacks: addresses,
      // Appium calls the plugin that is listed last first, so no other runs before svc if svc is the last.
      mayBeRewritten: args.usePlugins?.at(-1) !== 'svc',
    }),
  );
  services.metrics.follow(gate.counts);
  placeGate(server, gate, hadUpgrade);
  watchPlacement(server, gate, hadUpgrade, log);
  modules.agents.offers.webDriver.behind({ server, basePath: gate.targets.basePath });
  const strict = gate.checksCommands || (config.requireSessionToken && !config.authDisabled);
  const isProbing = () => contexts.getStore()?.kind === 'probe';
  checkBeforeListening(server, () => provesClean(server, gate, { strict, log, isProbing }));
  const callbacks = new DriverCallbacks({ addresses, running, contexts });
  const lifecycle = new Lifecycle({ gate, lab, contexts, callbacks });
  maskInChildProcesses(process.env);
  hideSettings(process.env);
  setTripwire(server, gate, log, executeMethods(gate.targets.basePath, lab));
  const report = logReport(services);
  closeWith(server, site, services, report);
  const { isTrustedProxy } = clientFacts(config.trustedProxies);
  limitClients(server, { maxConnections: config.maxConnectionsPerAddress, isTrustedProxy });
  limitHttp2(server);
  const peerOf = (req: IncomingMessage) => gate.originOf(req).sender;
  limitBidi(server, { basePath: gate.targets.basePath, peerOf });
  containSockets(server, { log, clock, peerOf });
  makeForExpress(server, express);
  serveHomePage(express, logged);
  server.once('listening', () => modules.node?.offers.start(gate.targets.basePath));
  if (gate.checksCommands) log.info('Per-command auth is ON');
  return {
    createSession: hookCreates(contexts, lifecycle.create.bind(lifecycle)),
    listSessions: (next) => lifecycle.list(next),
    isProbing,
  };
}

/**
 * Builds the site (the pages and the API) some time after the server listens. Its errors are ignored here, because the
 * site passes them to `failed`.
 */
function buildLater(site: LaterSite, server: Server): void {
  const build = () => void site.build().catch(() => undefined);
  server.once('listening', () => setTimeout(build, BUILD_SITE_AFTER_MS).unref());
}

/**
 * @returns the sessions whose commands this server logs. Sessions that came through a hub are left out, because the hub
 * logs their commands.
 */
function loggedHere({ modules: { lab, node } }: Services): Pick<DeviceLab['sessions'], 'ownerOf'> {
  const { sessions } = lab.offers.lab;
  if (node === undefined) return sessions;
  return { ownerOf: (id) => (node.offers.sessions.has(id) ? undefined : sessions.ownerOf(id)) };
}

/** Forwards commands of sessions on nodes to their node, and all other commands to Appium. */
function reachingNodes(
  local: Upstream,
  { basePath = '', allowCors: cors = false }: ServerArgs,
  services: Services,
): Upstream {
  const { modules, clock, log } = services;
  const { lab } = modules.lab.offers;
  const { nodes, nodeClient: client } = modules.hub.offers;
  return withNodes({
    nodes,
    client,
    sessions: lab.sessions,
    basePath: basePath.replace(/\/$/, ''),
    cors,
    local,
    clock,
    log,
    execute: (id, { script, args }, res) => answerExecuteMethod(lab, id, { script, args }, res),
  });
}

/**
 * Serves the dashboard and the API. For a request that is marked sensitive, logs the line that Appium would log,
 * because Appium does not receive these requests.
 */
function loggedSite(site: Upstream, log: Log): Upstream {
  return {
    request: (req, res) => {
      // Log the same line that Appium logs for sensitive requests that it handles itself (specification 5.5.1).
      if (isMarkedSensitive(req)) log.info(`--> ${req.method} ${req.url?.split('?', 1)[0]} **SECURE**`);
      site.request(req, res);
    },
    upgrade: (req, socket, head) => site.upgrade(req, socket, head),
  };
}

/**
 * Closes svc before Appium's own `close`, because the process exits soon after Appium has closed and would leave svc no
 * time.
 */
function closeWith(
  server: AppiumServer,
  site: LaterSite,
  services: Services,
  report: { stop(): void },
): void {
  const original = server.close.bind(server) as () => Promise<void>;
  const close = async (): Promise<void> => {
    services.modules.lab.offers.lab.queue.close();
    await site.close();
    report.stop();
    await services.close();
    await original();
  };
  server.close = close as unknown as typeof server.close;
}
