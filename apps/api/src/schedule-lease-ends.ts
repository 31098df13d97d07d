import type { Log } from '@svc/auth-core';
import type { HeldLeases } from '@svc/device-lab';

const EVERY_MS = 1000;

/** Ends leases whose time is over or whose holder lost them. Their use asks by itself; this is for those who watch. */
export function scheduleLeaseEnds(leases: Pick<HeldLeases, 'sweep'>, log: Log): { stop(): void } {
  const sweep = () => {
    try {
      leases.sweep();
    } catch (error) {
      log.warn('Leases could not be checked, trying again', { cause: String(error) });
    }
  };
  const timer = setInterval(sweep, EVERY_MS).unref();
  return { stop: () => clearInterval(timer) };
}
