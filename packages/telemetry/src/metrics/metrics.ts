import type { Metric } from '@svc/module';
import type { GateCounts } from '@svc/webdriver-gate';
import { type Measured, metricsOf } from './definitions.ts';
import type { PrometheusText } from './prometheus.ts';
import { RequestMeasures } from './request-measures.ts';

/**
 * Metrics of this service. Frequent operations only increment numbers. Formatting and all other work happen when the
 * metrics are requested.
 */
export class Metrics {
  readonly requests = new RequestMeasures();
  readonly all: readonly Metric[];
  #gate: GateCounts | null = null;
  #text: Promise<PrometheusText> | undefined;

  constructor(measured: Pick<Measured, 'version' | 'modules'>) {
    const { requests } = this;
    this.all = metricsOf({ ...measured, requests, gate: () => this.#gate });
  }

  /** Adds the counts of the gate, which checks the WebDriver requests on this server's port, to the metrics. */
  follow(gate: GateCounts): void {
    this.#gate = gate;
  }

  /**
   * Returns the metrics in the Prometheus text format. The first call loads the library and starts the measurement of
   * the process.
   */
  async scrape(): Promise<{ readonly type: string; readonly text: string }> {
    this.#text ??= import('./prometheus.ts').then(({ PrometheusText: Text }) => new Text(this.all));
    return (await this.#text).scrape();
  }
}
