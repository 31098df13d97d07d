const EVERY_MS = 1000;

/**
 * Regularly ends leases, and sessions of agents, that have expired or whose holder has lost the permission. Each use of
 * a lease or session is checked as well, but only this regular check notifies the clients that display the lease or
 * session.
 */
export function scheduleSweep(held: { sweep(): void }): { stop(): void } {
  const timer = setInterval(() => held.sweep(), EVERY_MS).unref();
  return { stop: () => clearInterval(timer) };
}
