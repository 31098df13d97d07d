import type { Config } from '@svc/settings';
import type { Telemetry } from './telemetry.ts';

/**
 * Loads the OpenTelemetry libraries if they are needed.
 * @returns null if `SVC_METRICS_ENDPOINT` is not set; the libraries are then not loaded
 */
export async function loadTelemetry({ metrics }: Config): Promise<typeof Telemetry | null> {
  if (metrics.endpoint === null) return null;
  return (await import('./telemetry.ts')).Telemetry;
}
