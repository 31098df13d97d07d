import type { Config } from '@svc/settings';
import type { Telemetry } from './telemetry.ts';

/** Null: `SVC_METRICS_ENDPOINT` is not set, and nothing of OpenTelemetry is loaded. */
export async function loadTelemetry({ metrics }: Config): Promise<typeof Telemetry | null> {
  if (metrics.endpoint === null) return null;
  return (await import('./telemetry.ts')).Telemetry;
}
