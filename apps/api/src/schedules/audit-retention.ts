import type { AuditTrail, Log } from '@svc/auth-core';
import { scheduleRemoval } from './removal.ts';

const EVERY_MS = 24 * 60 * 60 * 1000;

/** Removes audit rows that are older than the retention time, soon after the start and then once a day. */
export function scheduleAuditRetention(trail: Pick<AuditTrail, 'removeOld'>, log: Log): { stop(): void } {
  return scheduleRemoval(
    { what: 'Old audit rows', everyMs: EVERY_MS, removeOld: () => trail.removeOld() },
    log,
  );
}
