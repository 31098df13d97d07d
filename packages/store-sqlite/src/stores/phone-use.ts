import {
  type HourOfUse,
  type KindMonth,
  type MonthOfUse,
  monthOf,
  type PhoneUseStore,
} from '@svc/device-lab';
import type { Connection } from '../connection/connection.ts';
import { Rows, required, type Table } from './table.ts';

/** Team of a phone in the shared pool. The column cannot be null, because it is part of the primary key. */
const pool = {
  isNullable: false,
  store: (teamId: string | null) => teamId ?? '',
  load: (teamId: string) => (teamId === '' ? null : teamId),
};

/** Times of a phone while it was in a team, and the key of such a row beside its hour or month. */
const SHARE = {
  ...{ udid: required, teamId: pool },
  ...{ presentMs: required, busyMs: required, leasedMs: required, waitedMs: required },
};

/** `hour` is the beginning of the hour in ms since 1970. */
export const PHONE_USE: Table<HourOfUse> = {
  name: 'phone_use',
  columns: {
    hour: required,
    ...SHARE,
  },
};

/** The primary key begins with `hour`, so SQLite reads no other hours. */
export const OF_HOUR = 'where hour = @hour';

/** Selects at most `most` totals of hours that began before `at`, the oldest ones first. */
export const BEFORE = `(hour, udid, team_id) in (
  select hour, udid, team_id from phone_use where hour < @at order by hour limit @most)`;

export const PHONE_MONTHS: Table<MonthOfUse> = {
  name: 'phone_months',
  columns: {
    month: required,
    ...SHARE,
  },
};

/** `kind` describes phones of one kind, such as `Pixel 8, Android 14`. */
export const KIND_MONTHS: Table<KindMonth> = {
  name: 'kind_months',
  columns: { month: required, kind: required, savedMs: required },
};

const SHARED = Object.keys(SHARE) as (keyof typeof SHARE)[];

const ADDED = `do update set
    present_ms = present_ms + @presentMs, busy_ms = busy_ms + @busyMs,
    leased_ms = leased_ms + @leasedMs, waited_ms = waited_ms + @waitedMs`;

/** Stores how long phones were used, in totals by hour and by month. */
export function phoneUseRows(connection: Connection): PhoneUseStore {
  const use = new Rows(connection, PHONE_USE);
  const months = new Rows(connection, PHONE_MONTHS);
  const kinds = new Rows(connection, KIND_MONTHS);
  const add = use.insert(`on conflict (hour, udid, team_id) ${ADDED}`);
  const addToMonth = months.insert(`on conflict (month, udid, team_id) ${ADDED}`);
  const addKind = kinds.insert('on conflict (month, kind) do update set saved_ms = saved_ms + @savedMs');
  const of = use.only(...SHARED).all<{ hour: number }>(OF_HOUR);
  const ofMonth = months.only(...SHARED).all<{ month: number }>('where month = @month');
  const kindsOf = kinds.all<{ month: number }>('where month = @month');
  const removeBefore = use.remove<{ at: number; most: number }>(BEFORE);
  const removeMonths = months.remove<{ at: number }>('month < @at');
  const removeKinds = kinds.remove<{ at: number }>('month < @at');
  return {
    add: (hours) =>
      connection.join(() => {
        for (const { hour, ...row } of hours) {
          add({ hour, ...row });
          addToMonth({ month: monthOf(hour), ...row });
        }
      }),
    addKinds: (rows) =>
      connection.join(() => {
        for (const row of rows) addKind(row);
      }),
    of: (hour) => of({ hour }),
    ofMonth: (month) => ofMonth({ month }),
    kindsOf: (month) => kindsOf({ month }),
    removeBefore: (at, most) => connection.join(() => removeBefore({ at, most })),
    removeMonthsBefore: (at) =>
      connection.join(() => {
        removeMonths({ at });
        removeKinds({ at });
      }),
  };
}
