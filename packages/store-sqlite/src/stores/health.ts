import type { DayOfSessions, HealthRow, HealthStore } from '@svc/device-lab';
import type { Connection } from '../connection/connection.ts';
import { nullable, Rows, required, type Table } from './table.ts';

export const PHONE_HEALTH: Table<HealthRow> = {
  name: 'phone_health',
  columns: {
    udid: required,
    at: required,
    battery: nullable,
    temperature: nullable,
    storageFree: nullable,
  },
};

/** `day` is the beginning of the day in ms since 1970. */
export const PHONE_DAYS: Table<DayOfSessions & { readonly udid: string }> = {
  name: 'phone_days',
  columns: { udid: required, day: required, ended: required, failed: required, refused: required },
};

interface Bound {
  readonly at: number;
  readonly most: number;
}

/** Stores what probes read from phones. */
export function healthRows(connection: Connection): HealthStore {
  const health = new Rows(connection, PHONE_HEALTH);
  const days = new Rows(connection, PHONE_DAYS);
  const save = health.save('udid', 'at');
  const of = health.all<{ udid: string; from: number }>('where udid = @udid and at >= @from order by at');
  const removeHealth = health.remove<Bound>(
    '(udid, at) in (select udid, at from phone_health where at < @at order by at limit @most)',
  );
  const count = days.insert(`on conflict (udid, day) do update set
    ended = ended + @ended, failed = failed + @failed, refused = refused + @refused`);
  const daysOf = days
    .only('day', 'ended', 'failed', 'refused')
    .all<{ udid: string; from: number }>('where udid = @udid and day >= @from order by day');
  const totals = connection.prepare<{ from: number }, ReturnType<HealthStore['totals']>[number]>(`
    select udid, sum(ended) as ended, sum(failed) as failed, sum(refused) as refused
    from phone_days where day >= @from group by udid`);
  const removeDays = days.remove<Bound>(
    '(udid, day) in (select udid, day from phone_days where day < @at order by day limit @most)',
  );
  return {
    save: (...rows) =>
      connection.join(() => {
        for (const row of rows) save(row);
      }),
    of: (udid, from) => of({ udid, from }),
    count: (udid, day, more) => connection.join(() => count({ udid, day, ...more })),
    daysOf: (udid, from) => daysOf({ udid, from }),
    totals: (from) => totals.all({ from }),
    removeBefore: (at, most) =>
      connection.join(() => Math.max(removeHealth({ at, most }), removeDays({ at, most }))),
  };
}
