import type { Patient } from './doctor.ts';
import type { Finding } from './finding.ts';

export type { Finding };

/** Loaded when somebody asks: a start needs none of it. */
export async function examine(patient: Patient): Promise<Finding[]> {
  const doctor = await import('./doctor.ts');
  return doctor.examine(patient);
}
