import { statSync } from 'node:fs';
import type { Audit, Authenticator, RateLimiter, Tickets } from '@svc/auth-core';
import type { DeviceLab, EventFeed, EventLog, HeldLeases, OutOfService } from '@svc/device-lab';
import { byField, counter, gauge, type Metric, type OpenConnections, type Sample, single } from '@svc/module';
import type { Config } from '@svc/settings';
import type { GateCounts } from '@svc/webdriver-gate';
import type { RequestMeasures } from './request-measures.ts';
import type { SessionMeasures } from './session-measures.ts';

/** Store whose state and number of waiting writes are metrics. */
interface MeasuredStore {
  ready(): { readonly database: boolean; readonly migrations: boolean };
  pendingWrites(): number;
}

/** Parts of the server whose numbers become metrics. */
export interface Measured {
  readonly version: string;
  readonly core: {
    readonly authenticator: Authenticator;
    readonly rateLimiter: RateLimiter;
    readonly tickets: Tickets;
    readonly openConnections: OpenConnections;
    readonly audit: Audit;
    readonly config: Pick<Config, 'databaseFile'>;
    readonly stores: MeasuredStore;
  };
  readonly labServices: {
    readonly lab: DeviceLab;
    readonly eventFeed: EventFeed;
    readonly eventLog: EventLog;
    readonly heldLeases: HeldLeases;
    readonly care: Pick<OutOfService, 'ofLab'>;
  };
  /** Metrics of the modules. */
  readonly modules: readonly Metric[];
  readonly requests: RequestMeasures;
  readonly sessions: SessionMeasures;
  /**
   * Returns the counts of the gate, which checks WebDriver requests before they are forwarded. Null if this server has
   * no gate, for example because it runs only the API.
   */
  readonly gate: () => GateCounts | null;
}

/**
 * Returns every metric of this service. `docs/operations.md` lists them; that list is generated from this function's
 * result.
 */
export function metricsOf(measured: Measured): readonly Metric[] {
  return merged([
    info(measured.version),
    ...decisions(measured),
    ...requests(measured),
    ...commands(measured),
    ...memory(measured),
    ...lab(measured),
    ...queues(measured),
    ...database(measured.core),
    ...measured.modules,
  ]);
}

/**
 * Returns the metrics of a further entrance of a grid: a server that checks commands but does not hold the accounts.
 */
export function metricsOfGate(version: string, gate: () => GateCounts): readonly Metric[] {
  return [info(version), decided(() => gateDecisions(gate())), ...commands({ gate })];
}

/** Joins the metrics that several parts of the server have under one name, such as the depths of their queues. */
function merged(metrics: readonly Metric[]): Metric[] {
  const byName = new Map<string, Metric>();
  for (const metric of metrics) {
    const known = byName.get(metric.name);
    byName.set(metric.name, known === undefined ? metric : joined(known, metric));
  }
  return [...byName.values()];
}

function joined(one: Metric, other: Metric): Metric {
  if (one.kind === 'histogram' || other.kind === 'histogram') throw new Error(`two histograms ${one.name}`);
  return { ...one, read: () => [...one.read(), ...other.read()] };
}

function info(version: string): Metric {
  return gauge('svc_info', 'Always 1; the version of the service', () => [{ labels: { version }, value: 1 }]);
}

function decisions({ requests, gate }: Measured): Metric[] {
  return [
    decided(() => {
      const counts = gate();
      return [
        decision('api', 'allow', '', requests.allowed),
        decision('api', 'unavailable', '', requests.unavailable),
        ...[...requests.denied].map(([code, value]) => decision('api', 'deny', code, value)),
        ...(counts === null ? [] : gateDecisions(counts)),
      ];
    }),
  ];
}

function decided(read: () => Sample[]): Metric {
  const help = 'What was decided about requests, by what they wanted, outcome and reason';
  return counter('svc_decisions_total', help, read);
}

function decision(about: string, outcome: string, reason: string, value: number): Sample {
  return { labels: { about, outcome, reason }, value };
}

function gateDecisions({ creates, commands }: GateCounts): Sample[] {
  return [
    decision('create', 'allow', 'owner', creates.owned),
    decision('create', 'allow', 'no owner', creates.ownerless),
    decision('create', 'allow', 'hub', creates.fromHub),
    decision('create', 'deny', 'credentials', creates.denied),
    decision('create', 'unavailable', '', creates.unverified),
    decision('command', 'allow', 'credentials', commands.allowed),
    decision('command', 'allow', 'hub', commands.hub),
    decision('command', 'deny', 'no credentials', commands.noCredentials),
    decision('command', 'deny', 'invalid credentials', commands.invalidCredentials),
    decision('command', 'deny', 'not allowed', commands.notAllowed),
    decision('command', 'unavailable', '', commands.unverified),
  ];
}

function requests({ requests: { routes } }: Measured): Metric[] {
  return [
    counter('svc_api_requests_total', 'Answered requests of the API, by route and status', () =>
      routes.flatMap(({ labels, answers }) =>
        [...answers].map(([status, value]) => ({ labels: { ...labels, status: String(status) }, value })),
      ),
    ),
    {
      kind: 'histogram',
      name: 'svc_api_request_seconds',
      help: 'From the first byte of a request of the API to the end of its answer, by route',
      read: () =>
        routes
          .filter(({ answers }) => answers.size > 0)
          .map(({ labels, seconds: histogram }) => ({ labels, histogram })),
    },
  ];
}

function commands({ gate }: Pick<Measured, 'gate'>): Metric[] {
  return [
    {
      kind: 'histogram',
      name: 'svc_command_check_seconds',
      help: 'Check of a command: at once, as from memory (one in 128 is timed), or by a look-up elsewhere',
      read: () => {
        const counts = gate()?.commands;
        if (counts === undefined) return [];
        return [
          { labels: { answered: 'from memory' }, histogram: counts.warm },
          { labels: { answered: 'by look-up' }, histogram: counts.cold },
        ];
      },
    },
  ];
}

function memory({ core }: Measured): Metric[] {
  const { authenticator, rateLimiter, tickets } = core;
  return [
    counter('svc_caller_cache_total', 'Look-ups of a credential in the memory of callers', () =>
      byField('result', { hit: authenticator.cacheUses.hits, miss: authenticator.cacheUses.misses }),
    ),
    counter('svc_rate_limited_total', 'API requests beyond their allowance (specification 8.1)', () =>
      byField('category', rateLimiter.refused),
    ),
    counter('svc_tickets_total', 'Tickets issued, redeemed and refused', () =>
      byField('what', tickets.counts),
    ),
  ];
}

function lab({ core, labServices, sessions }: Measured): Metric[] {
  const { lab: devices, eventFeed, heldLeases, care } = labServices;
  return [
    gauge('svc_sessions_running', 'Driver sessions that run', () => single(devices.sessions.runningCount)),
    counter('svc_sessions_started_total', 'Driver sessions that started', () => single(sessions.started)),
    counter('svc_sessions_ended_total', 'Driver sessions that ended, by failure category', () =>
      [...sessions.ended].map(([category, value]) => ({ labels: { category }, value })),
    ),
    gauge('svc_devices', 'Phones of the lab, by status', () => byField('status', statuses(devices.devices))),
    gauge('svc_devices_out_of_service', 'Phones that are out of service', () =>
      single(devices.devices.list().filter(({ udid }) => devices.devices.isBlocked(udid)).length),
    ),
    gauge('svc_devices_unhealthy', 'Phones of this server that the lab put out of service', () =>
      single(care.ofLab().length),
    ),
    gauge('svc_devices_uncleaned', 'Phones that have a holder or are not clean, by state', () =>
      byField('state', uncleaned(devices.devices)),
    ),
    gauge('svc_leases', 'Phones that are leased', () => single(heldLeases.count)),
    gauge('svc_queue_waiting', 'Creates and lease requests that wait for a phone', () =>
      single(devices.queue.waiting),
    ),
    {
      kind: 'histogram',
      name: 'svc_queue_wait_seconds',
      help: 'How long creates and lease requests waited for a phone, by how the wait ended',
      read: () =>
        [...devices.queue.counts.waits].map(([ended, histogram]) => ({ labels: { ended }, histogram })),
    },
    counter('svc_queue_full_total', 'Requests refused without a wait because too many waited', () =>
      single(devices.queue.counts.full),
    ),
    gauge('svc_event_connections', 'Open connections that read live events', () => single(eventFeed.readers)),
    gauge('svc_open_connections', 'Everything that stays open and is checked again', () =>
      single(core.openConnections.size),
    ),
  ];
}

function statuses(devices: DeviceLab['devices']): Record<string, number> {
  const counts = { free: 0, busy: 0, away: 0 };
  for (const { udid } of devices.list()) counts[devices.statusOf(udid)] += 1;
  return counts;
}

function uncleaned(devices: DeviceLab['devices']): Record<string, number> {
  const counts = { reading: 0, leased: 0, waiting: 0, cleaning: 0, failed: 0 };
  for (const { udid } of devices.list()) {
    const state = devices.uncleanedOf(udid)?.state;
    if (state !== undefined) counts[state] += 1;
  }
  return counts;
}

function queues({ core, labServices }: Measured): Metric[] {
  const { stores, audit } = core;
  const { lab: devices, eventLog } = labServices;
  return [
    gauge('svc_queue_depth', 'What waits, by queue', () => {
      return byField('queue', {
        'last-used times': stores.pendingWrites(),
        'command log': devices.commandLog.waiting,
        'event log': eventLog.waiting,
        'audit trail': audit.waiting,
      });
    }),
  ];
}

function database({ config, stores }: Pick<Measured['core'], 'config' | 'stores'>): Metric[] {
  return [
    gauge('svc_database_bytes', 'Size of the database on disk, by file', () =>
      byField('file', {
        database: sizeOf(config.databaseFile),
        'write-ahead log': sizeOf(`${config.databaseFile}-wal`),
      }),
    ),
    gauge('svc_up', '1: the database and its tables can be used', () => {
      const { database: isOpen, migrations } = stores.ready();
      return single(isOpen && migrations ? 1 : 0);
    }),
  ];
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
