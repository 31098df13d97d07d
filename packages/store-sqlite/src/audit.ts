import { createHash } from 'node:crypto';
import type { AuditEvent, AuditRow, AuditStore } from '@svc/auth-core';
import type { Connection } from './connection.ts';
import type { Holes, Prepare } from './statements.ts';

/** What the first row follows from. */
const GENESIS = '0'.repeat(64);

/** Later than any row. */
const END = Number.MAX_SAFE_INTEGER;

/** Each row's hash covers the row and the hash before it (contract 2, `/audit`). */
export class AuditTrail implements AuditStore {
  readonly #connection: Connection;
  readonly #statements: ReturnType<typeof statements>;

  constructor(connection: Connection, prepare: Prepare) {
    this.#connection = connection;
    this.#statements = statements(prepare);
  }

  append(event: AuditEvent, at: number): void {
    // The last row is read under the write lock: another process may have appended.
    this.#connection.transaction(() => {
      const previousHash = this.#statements.last.first({})?.hash ?? GENESIS;
      const kept = readable(event);
      this.#statements.append.run({ ...kept, at, previousHash, hash: chainHash(previousHash, at, kept) });
    });
  }

  page(before: number | null, limit: number): AuditRow[] {
    return this.#statements.page.all({ before: before ?? END, limit });
  }

  firstBroken(): number | null {
    let previousHash = GENESIS;
    for (const row of this.#statements.oldestFirst.each({})) {
      if (row.previousHash !== previousHash || row.hash !== chainHash(previousHash, row.at, row))
        return row.id;
      previousHash = row.hash;
    }
    return null;
  }
}

function chainHash(previousHash: string, at: number, event: AuditEvent): string {
  const { outcome, actor, target, address, requestId, reason } = event;
  const row = [previousHash, at, event.event, outcome, actor, target, address, requestId, reason];
  return createHash('sha256').update(JSON.stringify(row)).digest('hex');
}

/**
 * Half a surrogate pair does not survive UTF-8, so the hash over it would never fit again: anyone who can get text
 * into a row could make the chain look broken.
 */
function readable(event: AuditEvent): AuditEvent {
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

const COLUMNS = [
  'id',
  'at',
  'event',
  'outcome',
  'actor',
  'target',
  'address',
  'request_id as requestId',
  'reason',
  'hash',
  'previous_hash as previousHash',
] as const;

function statements(prepare: Prepare) {
  return {
    last: prepare((query) => query.selectFrom('audit').select('hash').orderBy('id', 'desc')),
    append: prepare((query, at: Holes<Omit<AuditRow, 'id'>>) =>
      query.insertInto('audit').values({
        at: at.at,
        event: at.event,
        outcome: at.outcome,
        actor: at.actor,
        target: at.target,
        address: at.address,
        request_id: at.requestId,
        reason: at.reason,
        hash: at.hash,
        previous_hash: at.previousHash,
      }),
    ),
    page: prepare((query, at: Holes<{ before: number; limit: number }>) =>
      query
        .selectFrom('audit')
        .select(COLUMNS)
        .where('id', '<', at.before)
        .orderBy('id', 'desc')
        .limit(at.limit),
    ),
    oldestFirst: prepare((query) => query.selectFrom('audit').select(COLUMNS).orderBy('id')),
  };
}
