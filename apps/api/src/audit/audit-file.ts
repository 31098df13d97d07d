import type { ShownAuditRow } from '@svc/auth-core';
import { instant } from '../wire/instant.ts';

export const AUDIT_FORMATS = { csv: 'text/csv; charset=utf-8', jsonl: 'application/x-ndjson' } as const;
export type AuditFormat = keyof typeof AUDIT_FORMATS;

/** A row of the audit trail as `GET /audit` and exports show it (contract 2). */
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
] as const satisfies readonly (keyof ReturnType<typeof describeAuditRow>)[];

/** First line of an export. */
export function auditFileHead(format: AuditFormat): string {
  return format === 'csv' ? csvLine(COLUMNS) : '';
}

export function auditFileLine(row: ShownAuditRow, format: AuditFormat): string {
  const shown = describeAuditRow(row);
  return format === 'csv' ? csvLine(COLUMNS.map((name) => shown[name])) : `${JSON.stringify(shown)}\n`;
}

/** A line of CSV (RFC 4180). */
function csvLine(cells: readonly (string | null)[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

/** Characters with which spreadsheets begin a formula, including full-width forms, and white space before one. */
const FORMULA = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;

/**
 * Unauthenticated clients choose request ids and addresses, so a cell must not run as a formula when the file is
 * opened.
 */
function csvCell(value: string | null): string {
  const text = value ?? '';
  return `"${(FORMULA.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`;
}
