import type { Metric } from '@svc/telemetry';
import type { GateCounts } from '@svc/webdriver-gate';
import { type Measured, metricsOf } from './definitions.ts';
import type { PrometheusText } from './prometheus.ts';
import { RequestMeasures } from './request-measures.ts';
import { SessionMeasures } from './session-measures.ts';

/** What this service measures. Hot paths only increment numbers; everything else happens on request. */
export class Metrics {
  readonly requests = new RequestMeasures();
  readonly all: readonly Metric[];
  #gate: GateCounts | null = null;
  #text: Promise<PrometheusText> | undefined;

  constructor(measured: Pick<Measured, 'core' | 'accounts' | 'labServices'>) {
    const sessions = new SessionMeasures(measured.labServices.lab);
    const { requests } = this;
    this.all = metricsOf({ ...measured, requests, sessions, gate: () => this.#gate });
  }

  /** Counts of the gate on this server's port. */
  follow(gate: GateCounts): void {
    this.#gate = gate;
  }

  /** The metrics in Prometheus' format. The library and the measures of the process are loaded on the first request. */
  async scrape(): Promise<{ readonly type: string; readonly text: string }> {
    this.#text ??= import('./prometheus.ts').then(({ PrometheusText: Text }) => new Text(this.all));
    return (await this.#text).scrape();
  }
}
