import type { AuditTrail, Log } from '@svc/auth-core';

const EVERY_MS = 24 * 60 * 60 * 1000;
/** Pause between two batches of one removal, so that requests are served in between. */
const PAUSE_MS = 100;

/** Removes the oldest audit rows, soon after the start and then once a day. */
export function scheduleAuditRetention(trail: Pick<AuditTrail, 'removeOld'>, log: Log): { stop(): void } {
  let timer: NodeJS.Timeout;
  const after = (ms: number) => {
    timer = setTimeout(remove, ms).unref();
  };
  const remove = () => {
    try {
      after(trail.removeOld() ? PAUSE_MS : EVERY_MS);
    } catch (error) {
      log.warn('Old audit rows could not be removed, trying again later', { cause: String(error) });
      after(EVERY_MS);
    }
  };
  after(PAUSE_MS);
  return { stop: () => clearTimeout(timer) };
}
