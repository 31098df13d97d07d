import { counter, gauge, type Metric, type Sample } from '@svc/module';
import type { GateCounts } from '@svc/webdriver-gate';
import type { RequestMeasures } from './request-measures.ts';

/** Parts of the server whose numbers become metrics. */
export interface Measured {
  readonly version: string;
  /** Metrics of the core and of the modules. */
  readonly modules: readonly Metric[];
  readonly requests: RequestMeasures;
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
