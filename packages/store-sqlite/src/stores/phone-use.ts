import type { HourOfUse, PhoneUseStore } from '@svc/device-lab';
import type { Connection } from '../connection/connection.ts';
import { Rows, required, type Table } from './table.ts';

/** Team of a phone in the shared pool. The column cannot be null, because it is part of the primary key. */
const pool = {
  isNullable: false,
  store: (teamId: string | null) => teamId ?? '',
  load: (teamId: string) => (teamId === '' ? null : teamId),
};

/** `hour` is the beginning of the hour in ms since 1970. */
export const PHONE_USE: Table<HourOfUse> = {
  name: 'phone_use',
  columns: {
    hour: required,
    udid: required,
    teamId: pool,
    presentMs: required,
    busyMs: required,
    leasedMs: required,
    waitedMs: required,
  },
};

/** The primary key begins with `hour`, so SQLite reads no other hours. */
export const OF_HOUR = 'where hour = @hour';

/** Selects at most `most` totals of hours that began before `at`, the oldest ones first. */
export const BEFORE = `(hour, udid, team_id) in (
  select hour, udid, team_id from phone_use where hour < @at order by hour limit @most)`;

/** Stores how long phones were used, in totals by hour. */
export function phoneUseRows(connection: Connection): PhoneUseStore {
  const use = new Rows(connection, PHONE_USE);
  const add = use.insert(`on conflict (hour, udid, team_id) do update set
    present_ms = present_ms + @presentMs, busy_ms = busy_ms + @busyMs,
    leased_ms = leased_ms + @leasedMs, waited_ms = waited_ms + @waitedMs`);
  const of = use
    .only('udid', 'teamId', 'presentMs', 'busyMs', 'leasedMs', 'waitedMs')
    .all<{ hour: number }>(OF_HOUR);
  const removeBefore = use.remove<{ at: number; most: number }>(BEFORE);
  return {
    add: (hours) =>
      connection.join(() => {
        for (const hour of hours) add(hour);
      }),
    of: (hour) => of({ hour }),
    removeBefore: (at, most) => connection.join(() => removeBefore({ at, most })),
  };
}
