const EVERY_MS = 1000;

/**
 * Every second, ends leases, and sessions of agents, that have expired or whose holder has lost the permission. Leases
 * and sessions are also checked at each use, but that check does not notify the clients that display them.
 */
export function scheduleSweep(held: { sweep(): void }): { stop(): void } {
  const timer = setInterval(() => held.sweep(), EVERY_MS).unref();
  return { stop: () => clearInterval(timer) };
}
