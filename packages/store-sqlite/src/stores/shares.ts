import type { AccountDay, AccountTimes, AccountTimesStore, ShareStore } from '@svc/device-lab';
import type { Connection } from '../connection/connection.ts';
import { nullable, Rows, required, type Table } from './table.ts';

interface LimitsRow {
  /** Account that the limits are for, or null for the limits of a team. */
  readonly accountId: string | null;
  readonly teamId: string | null;
  readonly sessions: number | null;
  readonly leases: number | null;
  readonly minutes: number | null;
}

export const SHARE_LIMITS: Table<LimitsRow> = {
  name: 'share_limits',
  columns: {
    accountId: nullable,
    teamId: nullable,
    sessions: nullable,
    leases: nullable,
    minutes: nullable,
  },
};

/** `day` is the beginning of the day in ms since 1970. */
export const ACCOUNT_DAYS: Table<AccountDay> = {
  name: 'account_days',
  columns: { day: required, accountId: required, sessionMs: required, leaseMs: required },
};

/** Stores the limits of teams and accounts. */
export function shareRows(connection: Connection): ShareStore {
  const limits = new Rows(connection, SHARE_LIMITS);
  const all = limits.all('');
  const remove = limits.remove<Pick<LimitsRow, 'accountId' | 'teamId'>>(
    'account_id = @accountId or team_id = @teamId',
  );
  const insert = limits.insert();
  return {
    all: () =>
      all({}).map(({ accountId, teamId, ...row }) => ({
        kind: accountId === null ? 'team' : 'account',
        id: accountId ?? teamId ?? '',
        limits: row,
      })),
    save: ({ kind, id, limits: { sessions, leases, minutes } }) =>
      connection.join(() => {
        const subject = { accountId: kind === 'account' ? id : null, teamId: kind === 'team' ? id : null };
        remove(subject);
        if (sessions === null && leases === null && minutes === null) return;
        insert({ ...subject, sessions, leases, minutes });
      }),
  };
}

/** Stores the times of accounts, in totals by day. */
export function accountDayRows(connection: Connection): AccountTimesStore {
  const days = new Rows(connection, ACCOUNT_DAYS);
  const add = days.run<AccountDay>(`
    insert into account_days (day, account_id, session_ms, lease_ms)
    select @day, @accountId, @sessionMs, @leaseMs where exists (select 1 from accounts where id = @accountId)
    on conflict (day, account_id) do update set
      session_ms = session_ms + @sessionMs, lease_ms = lease_ms + @leaseMs`);
  const between = connection.prepare<{ from: number; to: number }, AccountTimes>(`
    select account_id as accountId, sum(session_ms) as sessionMs, sum(lease_ms) as leaseMs
    from account_days where day >= @from and day < @to group by account_id`);
  const removeBefore = days.remove<{ at: number; most: number }>(
    '(day, account_id) in (select day, account_id from account_days where day < @at order by day limit @most)',
  );
  return {
    add: (rows) =>
      connection.join(() => {
        for (const row of rows) add(row);
      }),
    between: (from, to) => between.all({ from, to }),
    removeBefore: (at, most) => connection.join(() => removeBefore({ at, most })),
  };
}
