// Metrics and traces of a server.
//
// `metrics/` turns the counts of the other packages into metrics, as Prometheus text or for a collector. The other files
// send metrics and traces to an OpenTelemetry collector; `load.ts` loads these libraries only if a collector is set.
//
// Not here: the counting itself, which each package does, and the routes (apps/api).

export { loadTelemetry } from './load.ts';
export { metricsOfGate } from './metrics/definitions.ts';
export { Metrics } from './metrics/metrics.ts';
export { RequestMeasures } from './metrics/request-measures.ts';
export type { Telemetry } from './telemetry.ts';
