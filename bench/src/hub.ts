import { forwardedBench } from './hub/forwarded.ts';
import { manySessionsBench } from './hub/many-sessions.ts';

/** What a hub in front of nodes costs. */
export async function hubBench(): Promise<void> {
  await forwardedBench();
  await manySessionsBench();
}
