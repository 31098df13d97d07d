import type { Log } from '@svc/auth-core';

/** Work that a server does at intervals, without a request. */
export interface Schedule {
  start(): void;
  stop(): void;
}

export const HOUR_MS = 60 * 60 * 1000;
const FLUSH_MS = 1_000;
/** Pause between two batches of a removal (ms), so that requests are served in between. */
const PAUSE_MS = 100;

/** Runs `work` every `ms`. `last`, if present, runs when the schedule is stopped. */
export function every(ms: number, work: () => void, last?: () => void): Schedule {
  let timer: NodeJS.Timeout;
  return {
    start: () => {
      timer = setInterval(work, ms).unref();
    },
    stop: () => {
      clearInterval(timer);
      last?.();
    },
  };
}

/** A log that queues its entries in memory until `flush` writes them. `flush` does not throw. */
interface QueuedLog {
  flush(): void;
}

/** Writes the queued entries of the logs once a second, and the remaining entries when it is stopped. */
export function flushing(logs: readonly QueuedLog[]): Schedule {
  const flush = () => {
    for (const log of logs) log.flush();
  };
  return every(FLUSH_MS, flush, flush);
}

interface Removal {
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
export function removing({ what, everyMs, removeOld }: Removal, log: Log): Schedule {
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
  return { start: () => after(PAUSE_MS), stop: () => clearTimeout(timer) };
}
