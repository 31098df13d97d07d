import type { SqliteStore } from '@svc/store-sqlite';
import { auditReport } from '../audit/audit-report.ts';
import type { Terminal } from './terminal.ts';

/** `svc audit verify`: 1 when the trail is broken. */
export function verifyAudit(stores: SqliteStore, { out }: Terminal): number {
  const check = stores.audit.check();
  for (const line of auditReport(check)) out(`${line}\n`);
  return check.problem === null ? 0 : 1;
}

/** `svc audit head`: count and hash of the trail. */
export function printAuditHead(stores: SqliteStore, { out }: Terminal): number {
  const { count, hash } = stores.audit.head();
  out(`${count} ${hash}\n`);
  return 0;
}
