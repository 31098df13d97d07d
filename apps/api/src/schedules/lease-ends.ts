import type { HeldLeases } from '@svc/device-lab';

const EVERY_MS = 1000;

/** Ends leases whose time is over or whose holder lost them. Their use asks by itself; this is for those who watch. */
export function scheduleLeaseEnds(leases: Pick<HeldLeases, 'sweep'>): { stop(): void } {
  const timer = setInterval(() => leases.sweep(), EVERY_MS).unref();
  return { stop: () => clearInterval(timer) };
}
