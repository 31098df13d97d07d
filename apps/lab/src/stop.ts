const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/** Maximum time for a shutdown (ms), which is below the five seconds of contract 9. */
const END_MS = 4500;

/**
 * Changes the handling of signals. On a signal, Appium ends its sessions, then the plugin, then its server. This
 * function adds three rules: a signal during the start ends the process immediately; a second signal does not interrupt
 * the shutdown, because a terminal and a package manager each send a signal; and a shutdown that takes too long is
 * aborted.
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
