import { csvLine, type Handlers, instant } from '@svc/module';
import type { UseTimes } from './phone-use.ts';
import type { UseDirectory, UseOfMonth, UseOfTeam } from './use-directory.ts';

/** Handlers that show how much the phones were used in the last 7 days and in a month. */
export function useHandlers(use: UseDirectory): Handlers {
  return {
    labUsage: async ({ caller }, { turns }) => {
      const { from, to, phones, teams } = await use.week(caller, (steps) => turns.all(steps));
      return {
        from: instant(from),
        to: instant(to),
        phones: phones.map(({ device: { udid, name }, team, times }) => ({
          udid,
          name,
          team,
          ...secondsOf(times),
        })),
        teams: teams?.map(describeTeam) ?? null,
      };
    },
    getUsageOfMonth: async ({ caller, params }, { turns }) => {
      const { from, to, phones, teams, kinds, people } = await use.month(
        caller,
        timeOf(params.month),
        (steps) => turns.all(steps),
      );
      return {
        from: instant(from),
        to: instant(to),
        phones: phones.map(({ times, ...phone }) => ({ ...phone, ...secondsOf(times) })),
        teams: teams.map(describeTeam),
        kinds: kinds.map(({ savedMs, ...kind }) => ({ ...kind, savedSeconds: seconds(savedMs) })),
        people:
          people?.map(({ sessionMs, leaseMs, ...person }) => ({
            ...person,
            sessionSeconds: seconds(sessionMs),
            leaseSeconds: seconds(leaseMs),
          })) ?? null,
      };
    },
    exportUsage: {
      file: async ({ caller, params: { month } }, { turns }) => ({
        type: 'text/csv; charset=utf-8',
        headers: {
          'content-disposition': `attachment; filename="usage-${month}.csv"`,
          'x-content-type-options': 'nosniff',
        },
        content: Buffer.from(
          [...linesOf(month, await use.month(caller, timeOf(month), (steps) => turns.all(steps)))].join(''),
        ),
      }),
    },
  };
}

function timeOf(month: string): number {
  return Date.parse(`${month}-01T00:00:00.000Z`);
}

function describeTeam({ team, phones, times }: UseOfTeam) {
  return { team, phones, ...secondsOf(times) };
}

function secondsOf({ presentMs, busyMs, leasedMs, waitedMs }: UseTimes) {
  return {
    presentSeconds: seconds(presentMs),
    busySeconds: seconds(busyMs),
    leasedSeconds: seconds(leasedMs),
    waitedSeconds: seconds(waitedMs),
  };
}

function seconds(ms: number): number {
  return Math.round(ms / 1000);
}

const COLUMNS = [
  ...(['month', 'by', 'id', 'name', 'team', 'phones'] as const),
  ...(['presentSeconds', 'busySeconds', 'leasedSeconds', 'waitedSeconds', 'savedSeconds'] as const),
] as const;
type Line = { readonly [Name in (typeof COLUMNS)[number]]?: string | number | null };

/** Returns the lines of the file. `by` says what a line is about: `team`, `phone`, `kind` or `person`. */
function* linesOf(month: string, { phones, teams, kinds, people }: UseOfMonth): Generator<string> {
  const line = (by: string, values: Line) => {
    const all: Line = { month, by, ...values };
    return csvLine(COLUMNS.map((name) => (all[name] == null ? null : String(all[name]))));
  };
  yield csvLine(COLUMNS);
  for (const { team, phones: count, times } of teams)
    yield line('team', {
      id: team?.id ?? null,
      name: team?.name ?? null,
      phones: count,
      ...secondsOf(times),
    });
  for (const { udid, name, team, times } of phones)
    yield line('phone', { id: udid, name, team: team?.name ?? null, ...secondsOf(times) });
  for (const { kind, phones: count, savedMs } of kinds)
    yield line('kind', { name: kind, phones: count, savedSeconds: seconds(savedMs) });
  for (const { id, email, sessionMs, leaseMs } of people ?? [])
    yield line('person', {
      id,
      name: email,
      busySeconds: seconds(sessionMs),
      leasedSeconds: seconds(leaseMs),
    });
}
