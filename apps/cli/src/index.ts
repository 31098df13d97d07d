import type { ExaminedServer } from './doctor/examined-server.ts';
import type { Finding } from './doctor/finding.ts';

export type { Finding };

/** Examines a server. The checks are loaded only here, so that a start does not load them. */
export async function examine(server: ExaminedServer): Promise<Finding[]> {
  const doctor = await import('./doctor/doctor.ts');
  return doctor.examine(server);
}
