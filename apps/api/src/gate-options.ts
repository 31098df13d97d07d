import {
  CreateBudget,
  type CreatePlaces,
  type GateOptions,
  GridCreates,
  RemoteCreates,
  RepeatedCreates,
  Targets,
} from '@svc/webdriver-gate';
import { clientFacts } from './client-address.ts';
import { isCounted, stopCounting } from './client-limits.ts';
import type { Services } from './services/services.ts';

/** Of the host's server: what the services do not know. */
type OfHost = Pick<GateOptions, 'basePath' | 'cors' | 'upstream' | 'site' | 'callbacks'>;

/** Field by field: the gate gets what it needs and not the configuration with its secrets. */
export function gateOptions(services: Services, host: OfHost): GateOptions {
  const { config, grid } = services;
  const { addressOf, isHttps } = clientFacts(config.trustedProxies);
  return {
    ...host,
    authDisabled: config.authDisabled,
    requireSessionToken: config.requireSessionToken,
    requireCommandAuth: config.requireCommandAuth,
    commandAuthReportOnly: config.commandAuthReportOnly,
    reportOnlyStats: services.reportOnlyStats,
    refusals: services.refusals,
    addressOf,
    isAddressVerified: config.trustedProxies.length > 0,
    createMaxBytes: config.createMaxBytes,
    createBudget: new CreateBudget(services.clock),
    lab: services.lab,
    authenticator: services.authenticator,
    audit: services.audit,
    stores: services.stores,
    connections: services.openConnections,
    clock: services.clock,
    log: services.log,
    logsAccess: config.logLevel === 'debug',
    places: placesOf(services, { basePath: new Targets(host.basePath).basePath, isHttps }),
    grid: grid?.client ?? null,
    fromHub: services.node === null ? null : { ...services.node, connections: { isCounted, stopCounting } },
    tracing: services.tracing,
  };
}

function placesOf(
  { grid, nodes, nodeClient, lab, clock, log }: Services,
  host: Pick<ConstructorParameters<typeof RemoteCreates>[0], 'basePath' | 'isHttps'>,
): CreatePlaces {
  const shared = { ...host, lab, log };
  const places =
    grid === null
      ? new RemoteCreates({ ...shared, nodes, client: nodeClient })
      : new GridCreates({ ...shared, ...grid });
  return new RepeatedCreates(places, clock);
}
