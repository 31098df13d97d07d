import type { Audit, Log } from '@svc/auth-core';
import type { Schedule } from '@svc/module';

const FLUSH_MS = 1000;
/** Maximum number of rows per batch. Writing a batch takes some milliseconds. */
const ROWS_AT_ONCE = 200;
const PAUSE_MS = 20;

/**
 * Writes the waiting audit rows once a second, in batches so that requests are served in between. `stop` writes the
 * remaining rows.
 */
export function scheduleAuditFlush(audit: Audit, log: Log): Schedule & { flush(): void } {
  const flush = (part: Parameters<Audit['flush']>[0] = {}) => {
    try {
      audit.flush(part);
      return true;
    } catch (error) {
      log.error('The audit trail cannot be written', { cause: String(error) });
      return false;
    }
  };
  const tick = () => {
    const isWritten = flush({ most: ROWS_AT_ONCE });
    schedule(isWritten && audit.pending ? PAUSE_MS : FLUSH_MS);
  };
  let timer: NodeJS.Timeout;
  const schedule = (ms: number) => {
    timer = setTimeout(tick, ms).unref();
  };
  const stop = () => {
    clearTimeout(timer);
    flush({ closing: true });
  };
  return { flush: () => flush(), start: () => schedule(FLUSH_MS), stop };
}
