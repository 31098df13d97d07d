import type { HeldLeases } from '@svc/device-lab';

const EVERY_MS = 1000;

/**
 * Ends leases that have expired or whose holder has lost the permission. Every use of a lease checks this, too, but
 * only the sweep notifies clients that display the leases.
 */
export function scheduleLeaseEnds(leases: Pick<HeldLeases, 'sweep'>): { stop(): void } {
  const timer = setInterval(() => leases.sweep(), EVERY_MS).unref();
  return { stop: () => clearInterval(timer) };
}
