import {
  type AuditEntry,
  type AuditRow,
  type AuditStore,
  CHAIN_START,
  chainHash,
  firstBrokenRow,
  keptEntry,
} from '@svc/auth-core';
import type { Params, Prepare } from '../connection/statements.ts';

/** The audit trail: rows are only ever appended (contract 2, `/audit`). */
export class AuditTrail implements AuditStore {
  readonly #statements: ReturnType<typeof statements>;

  constructor(prepare: Prepare) {
    this.#statements = statements(prepare);
  }

  append(entry: AuditEntry): void {
    // The last row is read under the write lock: another process may have appended.
    const previousHash = this.#statements.last.first({})?.hash ?? CHAIN_START;
    const kept = keptEntry(entry);
    this.#statements.append.run({ ...kept, previousHash, hash: chainHash(previousHash, kept) });
  }

  has(id: string): boolean {
    return this.#statements.has.first({ id }) !== undefined;
  }

  page(before: string | null, limit: number): AuditRow[] {
    return before === null
      ? this.#statements.newest.all({ limit })
      : this.#statements.before.all({ before, limit });
  }

  firstBroken(): string | null {
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
    last: prepare((query) => query.selectFrom('audit').select('hash').orderBy('number', 'desc')),
    append: prepare((query, at: Params<AuditRow>) =>
      query.insertInto('audit').values({
        id: at.id,
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
    has: prepare((query, at: Params<{ id: string }>) =>
      query.selectFrom('audit').select('number').where('id', '=', at.id),
    ),
    newest: prepare((query, at: Params<{ limit: number }>) =>
      query.selectFrom('audit').select(COLUMNS).orderBy('number', 'desc').limit(at.limit),
    ),
    before: prepare((query, at: Params<{ before: string; limit: number }>) =>
      query
        .selectFrom('audit')
        .select(COLUMNS)
        .where('number', '<', query.selectFrom('audit').select('number').where('id', '=', at.before))
        .orderBy('number', 'desc')
        .limit(at.limit),
    ),
    oldestFirst: prepare((query) => query.selectFrom('audit').select(COLUMNS).orderBy('number')),
  };
}
