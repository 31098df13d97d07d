export { loadTelemetry } from './load.ts';
export {
  byField,
  counter,
  gauge,
  type HistogramSample,
  type Labels,
  type Metric,
  type Sample,
  single,
} from './metric.ts';
export { metricsOfGate } from './metrics/definitions.ts';
export { Metrics } from './metrics/metrics.ts';
export { RequestMeasures } from './metrics/request-measures.ts';
export type { Telemetry } from './telemetry.ts';
