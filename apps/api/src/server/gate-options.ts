import type { RecordingOptions } from '@svc/device-lab';
import { optionsForNode } from '@svc/recordings';
import {
  type AppiumGateOptions,
  CreateBudget,
  type CreatePlaces,
  clientFacts,
  GridCreates,
  type GridGateOptions,
  type RecordingGateOptions,
  RemoteCreates,
  RepeatedCreates,
  Targets,
} from '@svc/webdriver-gate';
import { isCounted, stopCounting } from '../clients/client-limits.ts';
import type { GridServices } from '../grid/open-grid.ts';
import type { Services } from '../services/services.ts';

/**
 * Options of the gate (the part that checks each WebDriver request) that the program around it supplies, because
 * `Services` does not contain them.
 */
type OfHost = Pick<RecordingGateOptions, 'basePath' | 'upstream' | 'site'>;

/**
 * Options of the gate in front of Appium that the Appium plugin supplies. They include three that only this gate needs.
 */
interface OfAppium extends OfHost, Pick<AppiumGateOptions, 'cors' | 'callbacks'> {
  /** Whether other plugins may rewrite the capabilities of a create-session request. */
  readonly mayBeRewritten: boolean;
}

/** Returns the options of the gate (the part that checks each WebDriver request) in front of an Appium server. */
export function appiumGateOptions(services: Services, host: OfAppium): AppiumGateOptions {
  const { settings, modules } = services;
  const { lab } = modules.lab.offers;
  const { nodes, nodeClient: client } = modules.hub.offers;
  const node = modules.node?.offers;
  const recording = (options: RecordingOptions) => optionsForNode(settings.current().recording, options);
  const { mayBeRewritten } = host;
  const places = new RemoteCreates({
    ...addressesOf(services, host),
    lab,
    nodes,
    client,
    recording,
    mayBeRewritten,
  });
  return {
    ...recordingOptions(services, host, places),
    cors: host.cors,
    callbacks: host.callbacks,
    fromHub: node === undefined ? null : { ...node, connections: { isCounted, stopCounting } },
  };
}

/**
 * Returns the options of the gate (the part that checks each WebDriver request) in front of a grid, on the server that
 * holds the accounts.
 */
export function gridGateOptions(services: Services, grid: GridServices, host: OfHost): GridGateOptions {
  const { lab } = services.modules.lab.offers;
  const { log } = services;
  const places = new GridCreates({ ...addressesOf(services, host), lab, log, ...grid });
  return { ...recordingOptions(services, host, places), grid: grid.client };
}

/**
 * Returns the options that both gates share, the one in front of Appium and the one in front of a grid. A gate checks
 * each WebDriver request. Each field is listed, so that a gate gets only what it needs and not the whole configuration
 * with its secrets.
 */
function recordingOptions(services: Services, host: OfHost, places: CreatePlaces): RecordingGateOptions {
  const { config, clock, modules } = services;
  const { lab, attach } = modules.lab.offers;
  return {
    basePath: host.basePath,
    upstream: host.upstream,
    site: host.site,
    authDisabled: config.authDisabled,
    requireSessionToken: config.requireSessionToken,
    queueSeconds: config.queueSeconds,
    requireCommandAuth: config.requireCommandAuth,
    commandAuthReportOnly: config.commandAuthReportOnly,
    ...modules.refusals.offers,
    clients: clientFacts(config.trustedProxies),
    createMaxBytes: config.createMaxBytes,
    createBudget: new CreateBudget(clock),
    ...{ lab, attach },
    authenticator: services.authenticator,
    audit: services.audit,
    stores: services.stores,
    connections: services.openConnections,
    clock,
    log: services.log,
    logsAccess: config.logLevel === 'debug',
    places: new RepeatedCreates(places, clock),
    tracing: services.tracing,
  };
}

/**
 * Returns the base path and the scheme of this server. When a session is created on another server, the gate uses them
 * to replace the WebSocket address in the response by an address of this server.
 */
function addressesOf({ config }: Services, { basePath }: OfHost) {
  const { isHttps } = clientFacts(config.trustedProxies);
  return { basePath: new Targets(basePath).basePath, isHttps };
}
