import { createHash } from 'node:crypto';
import type { AuditEntry, AuditRow } from './ports.ts';

/** What the first row follows from. */
export const CHAIN_START = '0'.repeat(64);

/** Each row's hash covers the row and the hash before it, so that no row is changed or taken out unnoticed (contract 2). */
export function chainHash(previousHash: string, entry: AuditEntry): string {
  const { id, at, event, outcome, actor, target, address, requestId, reason } = entry;
  const row = [previousHash, id, at, event, outcome, actor, target, address, requestId, reason];
  return createHash('sha256').update(JSON.stringify(row)).digest('hex');
}

/** Id of the first row, oldest first, that does not follow from the one before; null: the chain holds. */
export function firstBrokenRow(rows: Iterable<AuditRow>): string | null {
  let previousHash = CHAIN_START;
  for (const row of rows) {
    const fits = row.previousHash === previousHash && row.hash === chainHash(previousHash, row);
    if (!fits) return row.id;
    previousHash = row.hash;
  }
  return null;
}

/**
 * Half a surrogate pair does not survive UTF-8, so the hash over it would never fit again: anyone who can get text
 * into a row could make the chain look broken.
 */
export function keptEntry(entry: AuditEntry): AuditEntry {
  return {
    id: wellFormed(entry.id),
    at: entry.at,
    event: wellFormed(entry.event),
    outcome: entry.outcome,
    actor: entry.actor && wellFormed(entry.actor),
    target: entry.target && wellFormed(entry.target),
    address: entry.address && wellFormed(entry.address),
    requestId: entry.requestId && wellFormed(entry.requestId),
    reason: entry.reason && wellFormed(entry.reason),
  };
}

function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\u{fffd}');
}
