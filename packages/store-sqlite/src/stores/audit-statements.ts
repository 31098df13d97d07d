import type { AuditRow } from '@svc/auth-core';
import type { Connection } from '../connection/connection.ts';
import type { NoParams } from '../connection/statement.ts';
import type { ChainMark, MarkName, NumberedRow } from './audit-chain.ts';
import { nullable, Rows, required, type Table } from './table.ts';

/** `number` is the position of the row in the audit chain. */
export const AUDIT: Table<NumberedRow> = {
  name: 'audit',
  columns: {
    number: required,
    id: required,
    at: required,
    event: required,
    outcome: required,
    actor: nullable,
    target: nullable,
    address: nullable,
    peer: nullable,
    requestId: nullable,
    reason: nullable,
    via: nullable,
    hash: required,
    previousHash: required,
  },
};

/**
 * The mark names the audit row with this number and hash. `seal` is an HMAC of name, number and hash, whose key is not
 * in the database.
 */
export const AUDIT_MARKS: Table<ChainMark & { readonly name: MarkName }> = {
  name: 'audit_marks',
  columns: { name: required, number: required, hash: required, seal: required },
};

interface SearchParams {
  below: number;
  lowest: number;
  actor: string | null;
  event: string | null;
  from: number | null;
  to: number | null;
  limit: number;
}

export function auditStatements(connection: Connection) {
  return {
    ...writing(connection),
    ...reading(connection),
    has: connection.prepare<{ id: string }, { number: number }>('select number from audit where id = @id'),
    marked: connection.prepare<{ name: MarkName }, ChainMark>(
      'select number, hash, seal from audit_marks where name = @name',
    ),
    /** Selects the last row number that SQLite's `autoincrement` has assigned, even if that row was removed since. */
    sequence: connection.prepare<NoParams, { number: number }>(
      "select seq as number from sqlite_sequence where name = 'audit'",
    ),
  };
}

function writing(connection: Connection) {
  const rows = new Rows(connection, AUDIT);
  return {
    last: connection.prepare<NoParams, { number: number }>(
      'select number from audit order by number desc limit 1',
    ),
    append: rows.insert(),
    mark: new Rows(connection, AUDIT_MARKS).save('name'),
    removeTo: rows.remove<{ number: number }>('number <= @number'),
  };
}

const MATCHES = `(@actor is null or actor = @actor) and (@event is null or event = @event)
        and (@from is null or at >= @from) and (@to is null or at < @to)`;

function reading(connection: Connection) {
  const numbered = new Rows(connection, AUDIT);
  const { number: _, ...columns } = AUDIT.columns;
  const rows = new Rows<AuditRow>(connection, { ...AUDIT, columns });
  /**
   * Searches the rows from `lowest` to below `below`, and finds the last row of this range. Row numbers have no gaps, so
   * `below - lowest` is the maximum number of rows that SQLite reads.
   */
  const search = (order: 'asc' | 'desc', opposite: 'asc' | 'desc') => ({
    found: rows.all<SearchParams>(`
      where number < @below and number >= @lowest and ${MATCHES}
      order by number ${order} limit @limit`),
    edge: connection.prepare<{ lowest: number; below: number }, { id: string }>(
      `select id from audit where number >= @lowest and number < @below order by number ${opposite} limit 1`,
    ),
  });
  return {
    newest: rows.all<{ limit: number }>('order by number desc limit @limit'),
    before: rows.all<{ before: string; limit: number }>(
      'where number < (select number from audit where id = @before) order by number desc limit @limit',
    ),
    falling: search('desc', 'asc'),
    rising: search('asc', 'desc'),
    first: connection.prepare<NoParams, { number: number }>(
      'select number from audit order by number limit 1',
    ),
    anyBelow: connection.prepare<{ number: number }, { number: number }>(
      'select number from audit where number < @number limit 1',
    ),
    after: numbered.all<{ number: number; limit: number }>(
      'where number > @number order by number limit @limit',
    ),
    /**
     * Selects the last `ofEach` addresses from which each account signed in, among the last `limit` sign-ins. The index
     * `audit_sign_ins` contains only successful sign-ins, so SQLite reads no other rows.
     */
    pastSignIns: connection.prepare<
      { ofEach: number; limit: number },
      { accountId: string; address: string }
    >(`
      select accountId, address from (
        select accountId, address, last, row_number() over (partition by accountId order by last desc) as nth
        from (
          select actor as accountId, address, max(number) as last
          from (
            select number, actor, address from audit
            where event = 'authn_login_success' and actor is not null and address is not null
            order by number desc limit @limit
          )
          group by actor, address
        )
      )
      where nth <= @ofEach order by last desc`),
  };
}
