import { Audit, type Clock, type Log, type Random, type Stores } from '@svc/auth-core';
import { byField, gauge, HOUR_MS, type Module, removing } from '@svc/module';
import { scheduleAuditFlush } from './audit-flush.ts';
import { AuditTrail } from './audit-trail.ts';
import { auditHandlers } from './handlers.ts';

interface Needs {
  readonly stores: Stores;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly retentionDays: () => number;
}

export interface AuditOffers {
  readonly audit: Audit;
  /** Writes the audit rows that wait in memory to the database. */
  flush(): void;
}

/** Opens the audit trail: what is recorded, and how Admins read, export and verify it. */
export function openAudit({ stores, clock, random, log, retentionDays }: Needs): Module<AuditOffers> {
  const audit = new Audit(stores, clock, random);
  const flushing = scheduleAuditFlush(audit, log);
  const { flush } = flushing;
  const trail = new AuditTrail({ stores, clock, audit, flush }, { retentionDays });
  return {
    offers: { audit, flush },
    handlers: auditHandlers(trail, clock),
    schedules: [
      removing({ what: 'Old audit rows', everyMs: 24 * HOUR_MS, removeOld: () => trail.removeOld() }, log),
      flushing,
    ],
    metrics: [
      gauge('svc_queue_depth', 'What waits, by queue', () =>
        byField('queue', { 'audit trail': audit.waiting }),
      ),
    ],
    close: async () => undefined,
  };
}
