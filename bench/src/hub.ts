import { forwardedBench } from './hub/forwarded.ts';
import { manySessionsBench } from './hub/many-sessions.ts';
import type { Report } from './report/report.ts';

/** Cost of a hub in front of nodes. */
export async function hubBench(report: Report): Promise<void> {
  await forwardedBench(report);
  await manySessionsBench(report);
}
