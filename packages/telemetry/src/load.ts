import type { Config } from '@svc/settings';
import type { Telemetry } from './telemetry.ts';

/** @returns null if `SVC_METRICS_ENDPOINT` is not set; OpenTelemetry is not loaded then */
export async function loadTelemetry({ metrics }: Config): Promise<typeof Telemetry | null> {
  if (metrics.endpoint === null) return null;
  return (await import('./telemetry.ts')).Telemetry;
}
