import type { HistogramSample, Metric } from '@svc/module';
import { collectDefaultMetrics, type MetricValue, Registry } from 'prom-client';

/** Formats the metrics as Prometheus text, together with the metrics of the process (`process_*`, `nodejs_*`). */
export class PrometheusText {
  readonly #registry = new Registry();

  constructor(metrics: readonly Metric[]) {
    for (const metric of metrics) this.#registry.registerMetric(asRegistered(metric));
    collectDefaultMetrics({ register: this.#registry });
  }

  async scrape(): Promise<{ type: string; text: string }> {
    return { type: this.#registry.contentType, text: await this.#registry.metrics() };
  }
}

type Registered = Parameters<Registry['registerMetric']>[0];

/**
 * Wraps a metric for the registry of prom-client, which uses only `name` and `get`. `get` reads the numbers when the
 * metrics are requested. If the numbers cannot be read, the metric has no values. The metric classes of prom-client are
 * not used, because they hash the labels on every change.
 */
function asRegistered(metric: Metric): Registered {
  const { name, help, kind } = metric;
  const get = async () => ({ name, help, type: kind, aggregator: 'sum', values: valuesOf(metric) });
  return { name, get } as unknown as Registered;
}

function valuesOf(metric: Metric): MetricValue<string>[] {
  try {
    return metric.kind === 'histogram'
      ? metric.read().flatMap((sample) => histogramValues(metric.name, sample))
      : metric.read().map(({ labels, value }) => ({ labels: { ...labels }, value }));
  } catch {
    return [];
  }
}

function histogramValues(name: string, { labels, histogram }: HistogramSample) {
  const { bounds, counts, sum } = histogram;
  let below = 0;
  const buckets = [...counts].map((count, at) => {
    below += count;
    const le = at < bounds.length ? String(bounds[at]) : '+Inf';
    return { metricName: `${name}_bucket`, labels: { ...labels, le }, value: below };
  });
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels: { ...labels }, value: sum },
    { metricName: `${name}_count`, labels: { ...labels }, value: below },
  ];
}
