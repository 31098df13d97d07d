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
export type { Telemetry } from './telemetry.ts';
