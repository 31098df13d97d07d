import type { Log } from '@svc/auth-core';

/** Pause between two batches (ms), so that requests are served in between. */
const PAUSE_MS = 100;

export interface Removal {
  /** Name of the removed data, for the log. */
  readonly what: string;
  readonly everyMs: number;
  /**
   * Removes a batch of old data.
   * @returns whether more old data remains
   */
  removeOld(): boolean;
}

/**
 * Removes data that is older than its retention time, in batches. The first removal runs soon after the start, the
 * following ones every `everyMs`.
 */
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
