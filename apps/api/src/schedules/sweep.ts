const EVERY_MS = 1000;

/**
 * Regularly ends leases, and sessions of agents, that have expired or whose holder has lost the permission. Every use
 * checks this, too, but only the sweep notifies clients that display them.
 */
export function scheduleSweep(held: { sweep(): void }): { stop(): void } {
  const timer = setInterval(() => held.sweep(), EVERY_MS).unref();
  return { stop: () => clearInterval(timer) };
}
