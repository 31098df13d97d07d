import {
  type AuditEvent,
  type AuditRow,
  type AuditStore,
  CHAIN_START,
  chainHash,
  firstBrokenRow,
  keptEvent,
} from '@svc/auth-core';
import type { Connection } from './connection.ts';
import type { Holes, Prepare } from './statements.ts';

/** Later than any row. */
const END = Number.MAX_SAFE_INTEGER;

/** The audit trail: rows are only ever appended (contract 2, `/audit`). */
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
      const previousHash = this.#statements.last.first({})?.hash ?? CHAIN_START;
      const kept = keptEvent(event);
      this.#statements.append.run({ ...kept, at, previousHash, hash: chainHash(previousHash, at, kept) });
    });
  }

  page(before: number | null, limit: number): AuditRow[] {
    return this.#statements.page.all({ before: before ?? END, limit });
  }

  firstBroken(): number | null {
    return firstBrokenRow(this.#statements.oldestFirst.each({}));
  }
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
