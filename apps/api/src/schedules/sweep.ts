const EVERY_MS = 1000;

/**
 * Ends what has expired or whose holder has lost the permission: leases, and sessions of agents. Every use of a lease
 * checks this, too, but only the sweep notifies clients that display the leases.
 */
export function scheduleSweep(held: { sweep(): void }): { stop(): void } {
  const timer = setInterval(() => held.sweep(), EVERY_MS).unref();
  return { stop: () => clearInterval(timer) };
}
