const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/** Contract 9 grants five seconds. */
const END_MS = 4500;

/**
 * Appium ends itself on a signal: sessions first, then the plugin, then its server. What is added here: a signal
 * before all that is in place ends the process at once, a second one (a terminal and a package manager both send
 * theirs) does not interrupt the shutdown, and a shutdown that hangs is cut. Call the returned function once the lab is
 * up.
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
        console.error('svc: the lab did not end in time and is cut off');
        process.exit(1);
      }, END_MS).unref();
    });
  }
  return () => {
    up = true;
  };
}
