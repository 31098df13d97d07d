import type { ExaminedServer } from './examined-server.ts';
import type { Finding } from './finding.ts';

export type { Finding };

/** Examines a server. The checks are loaded only here, so that a start does not load them. */
export async function examine(server: ExaminedServer): Promise<Finding[]> {
  const doctor = await import('./doctor.ts');
  return doctor.examine(server);
}
