import { type HrTime, ValueType } from '@opentelemetry/api';
import { hrTime } from '@opentelemetry/core';
import type { Resource } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  type CollectionResult,
  type DataPoint,
  DataPointType,
  type MetricData,
  type MetricProducer,
} from '@opentelemetry/sdk-metrics';
import type { LatencyHistogram, Metric } from '@svc/module';

/** Provides the metrics of `GET /svc/api/metrics` to OpenTelemetry, which reads them each time before it sends them. */
export class OwnMetrics implements MetricProducer {
  readonly #metrics: readonly Metric[];
  readonly #resource: Resource;
  readonly #startTime: HrTime = hrTime();

  constructor(metrics: readonly Metric[], resource: Resource) {
    this.#metrics = metrics;
    this.#resource = resource;
  }

  async collect(): Promise<CollectionResult> {
    const times = { startTime: this.#startTime, endTime: hrTime() };
    const metrics = this.#metrics.flatMap((metric) => {
      try {
        return [read(metric, times)];
      } catch {
        // Leave out a metric that cannot be read, so that the other metrics are still sent.
        return [];
      }
    });
    const scopeMetrics = [{ scope: { name: 'svc' }, metrics }];
    return { resourceMetrics: { resource: this.#resource, scopeMetrics }, errors: [] };
  }
}

type Times = Pick<DataPoint<number>, 'startTime' | 'endTime'>;

function read(metric: Metric, times: Times): MetricData {
  const { name, help: description } = metric;
  const shared = {
    descriptor: { name, description, unit: unitOf(name), valueType: ValueType.DOUBLE },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
  };
  if (metric.kind === 'histogram') {
    const dataPoints = metric
      .read()
      .map(({ labels, histogram }) => ({ ...times, attributes: { ...labels }, value: pointOf(histogram) }));
    return { ...shared, dataPointType: DataPointType.HISTOGRAM, dataPoints };
  }
  const dataPoints = metric
    .read()
    .map(({ labels, value }) => ({ ...times, attributes: { ...labels }, value }));
  return metric.kind === 'gauge'
    ? { ...shared, dataPointType: DataPointType.GAUGE, dataPoints }
    : { ...shared, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints };
}

/** @returns the unit of a metric in UCUM notation, or an empty text if the metric is a count */
function unitOf(name: string): string {
  if (name.endsWith('_seconds')) return 's';
  return name.endsWith('_bytes') ? 'By' : '';
}

function pointOf({ bounds, counts, sum }: LatencyHistogram) {
  const each = [...counts];
  const count = each.reduce((all, some) => all + some, 0);
  return { buckets: { boundaries: [...bounds], counts: each }, sum, count };
}
