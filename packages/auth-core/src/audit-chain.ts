import { createHash } from 'node:crypto';
import type { AuditEvent, AuditRow } from './ports.ts';

/** What the first row follows from. */
export const CHAIN_START = '0'.repeat(64);

/** Each row's hash covers the row and the hash before it, so that no row is changed or taken out unnoticed (contract 2). */
export function chainHash(previousHash: string, at: number, event: AuditEvent): string {
  const { outcome, actor, target, address, requestId, reason } = event;
  const row = [previousHash, at, event.event, outcome, actor, target, address, requestId, reason];
  return createHash('sha256').update(JSON.stringify(row)).digest('hex');
}

/** Id of the first row, oldest first, that does not follow from the one before; null: the chain holds. */
export function firstBrokenRow(rows: Iterable<AuditRow>): number | null {
  let previousHash = CHAIN_START;
  for (const row of rows) {
    const fits = row.previousHash === previousHash && row.hash === chainHash(previousHash, row.at, row);
    if (!fits) return row.id;
    previousHash = row.hash;
  }
  return null;
}

/**
 * Half a surrogate pair does not survive UTF-8, so the hash over it would never fit again: anyone who can get text
 * into a row could make the chain look broken.
 */
export function keptEvent(event: AuditEvent): AuditEvent {
  return {
    event: wellFormed(event.event),
    outcome: event.outcome,
    actor: event.actor && wellFormed(event.actor),
    target: event.target && wellFormed(event.target),
    address: event.address && wellFormed(event.address),
    requestId: event.requestId && wellFormed(event.requestId),
    reason: event.reason && wellFormed(event.reason),
  };
}

function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\u{fffd}');
}
