import type { AuditRow, ChainMark, MarkName, NumberedRow, PastSignIn } from '@svc/auth-core';
import type { Connection } from '../connection/connection.ts';
import type { NoParams } from '../connection/statement.ts';

const COLUMNS = `
  id, at, event, outcome, actor, target, address, peer, request_id as requestId, reason, via,
  hash, previous_hash as previousHash`;

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
  return {
    last: connection.prepare<NoParams, { number: number }>(
      'select number from audit order by number desc limit 1',
    ),
    append: connection.prepare<NumberedRow, never>(`
      insert into audit (
        number, id, at, event, outcome, actor, target, address, peer, request_id, reason, via, hash, previous_hash
      ) values (
        @number, @id, @at, @event, @outcome, @actor, @target, @address, @peer, @requestId, @reason, @via, @hash,
        @previousHash
      )`),
    mark: connection.prepare<ChainMark & { name: MarkName }, never>(
      'replace into audit_marks (name, number, hash, seal) values (@name, @number, @hash, @seal)',
    ),
    removeTo: connection.prepare<{ number: number }, never>('delete from audit where number <= @number'),
  };
}

function reading(connection: Connection) {
  return {
    newest: connection.prepare<{ limit: number }, AuditRow>(
      `select ${COLUMNS} from audit order by number desc limit @limit`,
    ),
    before: connection.prepare<{ before: string; limit: number }, AuditRow>(`
      select ${COLUMNS} from audit
      where number < (select number from audit where id = @before)
      order by number desc limit @limit`),
    /**
     * Searches the rows from `lowest` to below `below`. Row numbers have no gaps, so `below - lowest` is the maximum
     * number of rows that SQLite reads.
     */
    search: connection.prepare<SearchParams, AuditRow>(`
      select ${COLUMNS} from audit
      where number < @below and number >= @lowest
        and (@actor is null or actor = @actor) and (@event is null or event = @event)
        and (@from is null or at >= @from) and (@to is null or at < @to)
      order by number desc limit @limit`),
    lowestWithin: connection.prepare<{ lowest: number; below: number }, { id: string }>(
      'select id from audit where number >= @lowest and number < @below order by number limit 1',
    ),
    anyBelow: connection.prepare<{ number: number }, { number: number }>(
      'select number from audit where number < @number limit 1',
    ),
    after: connection.prepare<{ number: number; limit: number }, NumberedRow>(`
      select number, ${COLUMNS} from audit where number > @number order by number limit @limit`),
    /**
     * Selects the last `ofEach` addresses from which each account signed in, among the last `limit` sign-ins. The index
     * `audit_sign_ins` contains only successful sign-ins, so SQLite reads no other rows.
     */
    pastSignIns: connection.prepare<{ ofEach: number; limit: number }, PastSignIn>(`
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
