import { csvLine, instant } from '@svc/module';
import type { ShownAuditRow } from './audit-trail.ts';

export const AUDIT_FORMATS = { csv: 'text/csv; charset=utf-8', jsonl: 'application/x-ndjson' } as const;
export type AuditFormat = keyof typeof AUDIT_FORMATS;

/** Returns a row of the audit trail in the form that `GET /audit` and exports contain (contract 2). */
export function describeAuditRow(row: ShownAuditRow) {
  return {
    id: row.id,
    at: instant(row.at),
    event: row.event,
    outcome: row.outcome,
    actor: row.actor,
    actorEmail: row.actorEmail,
    target: row.target,
    address: row.address,
    peer: row.peer,
    requestId: row.requestId,
    reason: row.reason,
    via: row.via ?? null,
    hash: row.hash,
    previousHash: row.previousHash,
  };
}

const COLUMNS = [
  'id',
  'at',
  'event',
  'outcome',
  'actor',
  'actorEmail',
  'target',
  'address',
  'peer',
  'requestId',
  'reason',
  'hash',
  'previousHash',
  'via',
] as const satisfies readonly (keyof ReturnType<typeof describeAuditRow>)[];

/** Returns the first line of an export, or an empty text if the format has none. */
export function auditFileHead(format: AuditFormat): string {
  return format === 'csv' ? csvLine(COLUMNS) : '';
}

export function auditFileLine(row: ShownAuditRow, format: AuditFormat): string {
  const shown = describeAuditRow(row);
  return format === 'csv' ? csvLine(COLUMNS.map((name) => shown[name])) : `${JSON.stringify(shown)}\n`;
}
