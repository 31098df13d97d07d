import {
  type AuditEntry,
  type AuditRow,
  type AuditStore,
  CHAIN_START,
  chainHash,
  firstBrokenRow,
  keptEntry,
} from '@svc/auth-core';
import type { Connection } from '../connection/connection.ts';
import type { NoParams } from '../connection/statement.ts';

/** The audit trail: rows are only ever appended (contract 2, `/audit`). */
export class AuditTrail implements AuditStore {
  readonly #statements: ReturnType<typeof statements>;

  constructor(connection: Connection) {
    this.#statements = statements(connection);
  }

  append(entry: AuditEntry): void {
    // The last row is read under the write lock: another process may have appended.
    const previousHash = this.#statements.last.get({})?.hash ?? CHAIN_START;
    const kept = keptEntry(entry);
    this.#statements.append.run({ ...kept, previousHash, hash: chainHash(previousHash, kept) });
  }

  has(id: string): boolean {
    return this.#statements.has.get({ id }) !== undefined;
  }

  page(before: string | null, limit: number): AuditRow[] {
    return before === null
      ? this.#statements.newest.all({ limit })
      : this.#statements.before.all({ before, limit });
  }

  firstBroken(): string | null {
    return firstBrokenRow(this.#statements.oldestFirst.iterate({}));
  }
}

const SELECT = `
  select id, at, event, outcome, actor, target, address, request_id as requestId, reason,
    hash, previous_hash as previousHash
  from audit`;

function statements(connection: Connection) {
  return {
    last: connection.prepare<NoParams, { hash: string }>(
      'select hash from audit order by number desc limit 1',
    ),
    append: connection.prepare<AuditRow, never>(`
      insert into audit (
        id, at, event, outcome, actor, target, address, request_id, reason, hash, previous_hash
      ) values (
        @id, @at, @event, @outcome, @actor, @target, @address, @requestId, @reason, @hash, @previousHash
      )`),
    has: connection.prepare<{ id: string }, { number: number }>('select number from audit where id = @id'),
    newest: connection.prepare<{ limit: number }, AuditRow>(`${SELECT} order by number desc limit @limit`),
    before: connection.prepare<{ before: string; limit: number }, AuditRow>(`
      ${SELECT}
      where number < (select number from audit where id = @before)
      order by number desc limit @limit`),
    oldestFirst: connection.prepare<NoParams, AuditRow>(`${SELECT} order by number`),
  };
}
