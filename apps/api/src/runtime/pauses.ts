import { setImmediate as otherWork } from 'node:timers/promises';

/** Time (ms) after which work that does not have to be done in one piece lets other requests run. */
const SLICE_MS = 2;

/**
 * Returns a function that waits for other work of this process if more than `SLICE_MS` have passed since the last wait.
 * The API is built while the automation server already serves commands, which would otherwise wait for all of it.
 */
export function pauses(): () => Promise<void> | undefined {
  let began = performance.now();
  return () => {
    if (performance.now() - began < SLICE_MS) return undefined;
    return otherWork().then(() => {
      began = performance.now();
    });
  };
}
