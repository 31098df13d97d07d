/**
 * Source of the current time and of timers. Times are milliseconds of the wall clock and not of a monotonic clock,
 * because a token also expires while the machine sleeps.
 */
export interface ClientClock {
  now(): number;
  /**
   * Runs `task` once after `ms` milliseconds; the returned function cancels it. The timer does not keep the process
   * alive.
   */
  after(ms: number, task: () => void): () => void;
}

/** Longest delay of a timer in milliseconds. Node runs a timer with a longer delay immediately. */
const LONGEST_MS = 2 ** 31 - 1;

export const systemClock: ClientClock = {
  now: () => Date.now(),
  after(ms, task) {
    const timer = setTimeout(task, Math.min(ms, LONGEST_MS));
    (timer as { unref?: () => void }).unref?.();
    return () => clearTimeout(timer);
  },
};
