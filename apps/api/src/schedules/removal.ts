import type { Log } from '@svc/auth-core';

/** Pause between two batches, so that requests are served in between. */
const PAUSE_MS = 100;

export interface Removal {
  /** Name of what is removed, for the log. */
  readonly what: string;
  readonly everyMs: number;
  /**
   * Removes a batch.
   * @returns whether there is more to remove
   */
  removeOld(): boolean;
}

/** Removes in batches what is older than its retention, soon after the start and then regularly. */
export function scheduleRemoval({ what, everyMs, removeOld }: Removal, log: Log): { stop(): void } {
  let timer: NodeJS.Timeout;
  const after = (ms: number) => {
    timer = setTimeout(remove, ms).unref();
  };
  const remove = () => {
    try {
      after(removeOld() ? PAUSE_MS : everyMs);
    } catch (error) {
      log.warn(`${what} could not be removed, trying again later`, { cause: String(error) });
      after(everyMs);
    }
  };
  after(PAUSE_MS);
  return { stop: () => clearTimeout(timer) };
}
