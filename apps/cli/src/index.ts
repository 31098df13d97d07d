import type { ExaminedServer } from './doctor/examined-server.ts';
import type { Finding } from './doctor/finding.ts';

export type { Finding };

/**
 * Runs the checks of `svc doctor`. Imports the modules of the checks only when it is called, so that a start of the
 * server does not load them.
 */
export async function examine(server: ExaminedServer): Promise<Finding[]> {
  const doctor = await import('./doctor/doctor.ts');
  return doctor.examine(server);
}
