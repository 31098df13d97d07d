import type { Log } from '@svc/auth-core';

/** Pause between two batches, so that requests are served in between. */
const PAUSE_MS = 100;

export interface Removal {
  /** What is removed, for the log. */
  readonly what: string;
  readonly everyMs: number;
  /** Removes a batch; true: there is more. */
  removeOld(): boolean;
}

/** Removes what is older than its retention in batches, soon after the start and then again and again. */
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
