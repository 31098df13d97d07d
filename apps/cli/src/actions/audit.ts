import type { SqliteStore } from '@svc/store-sqlite';
import type { Terminal } from '../terminal.ts';
import { auditReport } from './audit-report.ts';

/**
 * Runs `svc audit verify`, which checks the whole audit trail.
 * @returns exit code 1 if the trail is broken
 */
export function verifyAudit(stores: SqliteStore, { out }: Terminal): number {
  const check = stores.audit.check();
  for (const line of auditReport(check)) out(`${line}\n`);
  return check.problem === null ? 0 : 1;
}

/** Runs `svc audit head`, which prints the number of audit rows and the hash of the last one. */
export function printAuditHead(stores: SqliteStore, { out }: Terminal): number {
  const { count, hash } = stores.audit.head();
  out(`${count} ${hash}\n`);
  return 0;
}

/**
 * Number of rows after which the export waits until standard output has been read, so that the rows do not pile up in
 * memory.
 */
const BATCH = 500;

/** Runs `svc audit export`, which prints each audit row as a JSON object on its own line, oldest first. */
export async function exportAudit(
  stores: SqliteStore,
  { out, err, drained }: Terminal,
  { since }: { readonly since?: Date },
): Promise<number> {
  let printed = 0;
  for (const row of stores.audit.oldestFirst()) {
    if (since !== undefined && row.at < since.getTime()) continue;
    out(`${JSON.stringify({ ...row, at: new Date(row.at).toISOString() })}\n`);
    printed += 1;
    if (printed % BATCH === 0) await drained?.();
  }
  const { count, hash } = stores.audit.head();
  err(`${printed} rows; head ${count} ${hash}\n`);
  return 0;
}
