/** Where "now" and waiting come from. Milliseconds of the wall clock: an expiry passes while a machine sleeps. */
export interface ClientClock {
  now(): number;
  /** Runs `task` once after `ms`; the returned function cancels it. Never keeps a program alive. */
  after(ms: number, task: () => void): () => void;
}

/** The longest wait a timer takes; beyond it Node fires at once. */
const LONGEST_MS = 2 ** 31 - 1;

export const systemClock: ClientClock = {
  now: () => Date.now(),
  after(ms, task) {
    const timer = setTimeout(task, Math.min(ms, LONGEST_MS));
    (timer as { unref?: () => void }).unref?.();
    return () => clearTimeout(timer);
  },
};
