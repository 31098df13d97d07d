const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/** Maximum time for a shutdown (ms), which is below the five seconds of contract 9. */
const END_MS = 4500;

/**
 * Handles SIGTERM and SIGINT. Appium's own handlers shut the lab down; the handlers of this function add three rules:
 * - A signal during the start ends the process immediately.
 * - Further signals during the shutdown have no effect, because a single Ctrl-C can cause two: one from the terminal
 *   and one from the package manager.
 * - If the shutdown takes too long, the process exits.
 * @returns a function to call when the lab is ready
 */
export function endInTime(): () => void {
  let up = false;
  let ending = false;
  for (const signal of SIGNALS) {
    process.on(signal, () => {
      if (!up) process.exit(0);
      if (ending) return;
      ending = true;
      setTimeout(() => {
        console.error('svc: the lab did not shut down in time, so it exits now');
        process.exit(1);
      }, END_MS).unref();
    });
  }
  return () => {
    up = true;
  };
}
