// The shape of a subject: its package exports one `open(needs)` that returns a `Module`.
//
// A module has what it offers to others, its handlers by the name of the route in the contract, its schedules and its
// metrics. A handler needs nothing of the framework: the API checks the request before it, and sends what it returns.
//
// Not here: any subject, and how requests are checked and answered (apps/api).

export { BoundedLines, failureLines, refusalLines } from './bounded-lines.ts';
export { attachment } from './content-disposition.ts';
export { csvLine } from './csv.ts';
export type {
  Authorize,
  CountedAttempts,
  FileAnswer,
  Handler,
  Handlers,
  HandlerTools,
  ItemOf,
  LargeAnswer,
  PageItemOf,
  RouteLimit,
  RouteRequest,
  Sendable,
} from './handlers.ts';
export { instant } from './instant.ts';
export { JSON_TYPE, jsonArray, mapped } from './items.ts';
export { excessOf, jsonSizeOf } from './json-size.ts';
export { CHECK_SECONDS, LatencyHistogram, REQUEST_SECONDS } from './latency-histogram.ts';
export { hasControl, jsonText, oneLine } from './log-text.ts';
export { lruCache } from './lru-cache.ts';
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
export type { Module } from './module.ts';
export {
  type ConnectionEnd,
  type ConnectionHandle,
  type OpenConnection,
  OpenConnections,
} from './open-connections.ts';
export { instantOf, parseInstant } from './parse-instant.ts';
export { every, flushing, HOUR_MS, removing, type Schedule } from './schedules.ts';
