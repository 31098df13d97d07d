const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/** Contract 9 allows five seconds. */
const END_MS = 4500;

/**
 * Appium shuts down on a signal: sessions first, then the plugin, then its server. This adds three things: a signal
 * during the start ends the process immediately; a second signal (a terminal and a package manager each send one) does
 * not interrupt the shutdown; and a shutdown that hangs is aborted.
 * @returns a function to call once the lab is ready
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
