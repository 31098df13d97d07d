import {
  type Account,
  type Caller,
  type Clock,
  mayAccess,
  maySee,
  type Stores,
  type Team,
} from '@svc/auth-core';
import { ADMIN } from '@svc/contract';
import type { Device } from '../device.ts';
import type { Devices } from '../devices.ts';
import type { AccountClock } from '../shares/account-clock.ts';
import type { AccountTimes } from '../shares/share-limits.ts';
import { maySeeDevice } from '../visibility/see-device.ts';
import { added, monthOf, NO_USE, type PhoneUse, type UseTimes } from './phone-use.ts';
import type { UseMeter } from './use-meter.ts';
import { kindOf } from './waiting-saved.ts';

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;
/** Number of hours in the period that is shown: one week, including the current hour. */
const HOURS = 7 * 24;
/** Time (ms) for which the totals are cached, because reading them takes a while in a large lab. */
const CACHED_MS = 5_000;

/** Does all steps of a long read, and lets other requests run in between. */
type InTurns = (steps: Iterable<undefined>) => Promise<unknown>;

interface UseOfPhone {
  readonly device: Device;
  readonly team: Team | null;
  readonly times: UseTimes;
}

export interface UseOfTeam {
  /** The team, or null for the shared pool. */
  readonly team: Team | null;
  /** Number of phones that were present at some time while they belonged to the team. */
  readonly phones: number;
  readonly times: UseTimes;
}

export interface UseOfLab {
  /** Beginning and end of the period in ms since 1970. */
  readonly from: number;
  readonly to: number;
  readonly phones: readonly UseOfPhone[];
  /** Use by team, or null if the caller is not an Admin. */
  readonly teams: readonly UseOfTeam[] | null;
}

/** Use of the lab in one month, for Admins. */
export interface UseOfMonth {
  /** Beginning and end of the month (UTC) in ms since 1970. */
  readonly from: number;
  readonly to: number;
  /** Phones that were present. `name` is the udid of a phone that the lab no longer knows. */
  readonly phones: readonly {
    readonly udid: string;
    readonly name: string;
    readonly team: Team | null;
    readonly times: UseTimes;
  }[];
  readonly teams: readonly UseOfTeam[];
  /** Kinds of phones for which requests waited, with the least waiting (ms) that one more phone would have saved. */
  readonly kinds: readonly { readonly kind: string; readonly phones: number; readonly savedMs: number }[];
  /** Use by person, or null unless the setting `usageByPerson` is on. */
  readonly people:
    | readonly (Pick<Account, 'id' | 'email'> & {
        readonly sessionMs: number;
        readonly leaseMs: number;
      })[]
    | null;
}

interface Tools {
  readonly meter: Pick<UseMeter, 'of' | 'ofMonth' | 'kindsOf'>;
  readonly accountClock: Pick<AccountClock, 'between'>;
  readonly devices: Devices;
  readonly stores: Pick<Stores, 'accounts' | 'teams'>;
  /** Returns whether the usage is shown by person, too. */
  readonly byPerson: () => boolean;
  readonly clock: Clock;
}

interface Totals {
  readonly from: number;
  readonly to: number;
  readonly rows: readonly PhoneUse[];
}

/**
 * Returns the usage times of phones in the last 7 days. A caller gets the phones that the caller may see. Admins also
 * get totals for each team.
 */
export class UseDirectory {
  readonly #tools: Tools;
  #totals: Promise<Totals> | undefined;
  #readAt = 0;

  constructor(tools: Tools) {
    this.#tools = tools;
  }

  async week(caller: Caller, inTurns: InTurns): Promise<UseOfLab> {
    const { devices } = this.#tools;
    const { from, to, rows } = await this.#read(inTurns);
    // A phone may have belonged to other teams. Use only the times of teams whose phones the caller may see.
    const seen = rows.filter(({ teamId }) => maySeeDevice(caller, teamId));
    const byPhone = sums(seen, ({ udid }) => udid);
    const phones = devices
      .list()
      .filter(({ teamId }) => maySeeDevice(caller, teamId))
      .map((device) => ({
        device,
        team: this.#teamOf(device.teamId),
        times: byPhone.get(device.udid) ?? NO_USE,
      }));
    return { from, to, phones, teams: mayAccess(caller, ADMIN) ? this.#teams(rows) : null };
  }

  /** Returns the use in the month (UTC) that contains `at` (ms since 1970). Only Admins may call it. */
  async month(caller: Caller, at: number, inTurns: InTurns): Promise<UseOfMonth> {
    const { meter, devices, byPerson } = this.#tools;
    const from = monthOf(at);
    const to = monthOf(from + 32 * 24 * HOUR_MS);
    const rows = meter.ofMonth(from);
    const counts = new Map<string, number>();
    for (const device of devices.list()) counts.set(kindOf(device), (counts.get(kindOf(device)) ?? 0) + 1);
    const byPhoneAndTeam = sums(rows, ({ udid, teamId }) => JSON.stringify([udid, teamId]));
    return {
      ...{ from, to },
      phones: [...byPhoneAndTeam].flatMap(([key, times]) => {
        const [udid, teamId] = JSON.parse(key) as [string, string | null];
        const team = this.#teamOf(teamId);
        if (teamId !== null && team === null) return [];
        return [{ udid, name: devices.byUdid(udid)?.name ?? udid, team, times }];
      }),
      teams: this.#teams(rows),
      kinds: [...meter.kindsOf(from)]
        .map(([kind, savedMs]) => ({ kind, phones: counts.get(kind) ?? 0, savedMs }))
        .sort((a, b) => b.savedMs - a.savedMs),
      people: byPerson() ? await this.#people(caller, from, to, inTurns) : null,
    };
  }

  async #people(
    caller: Caller,
    from: number,
    to: number,
    inTurns: InTurns,
  ): Promise<NonNullable<UseOfMonth['people']>> {
    const times = new Map<string, AccountTimes>();
    await inTurns(this.#days(from, to, times));
    const people: NonNullable<UseOfMonth['people']>[number][] = [];
    await inTurns(this.#known(caller, times.values(), people));
    return people;
  }

  /** Adds the times of accounts on each day from `from` to before `to`, one day in a step. */
  *#days(from: number, to: number, times: Map<string, AccountTimes>): Generator<undefined, void, undefined> {
    for (let day = from; day < to; day += DAY_MS) {
      for (const { accountId, sessionMs, leaseMs } of this.#tools.accountClock.between(day, day + DAY_MS)) {
        const before = times.get(accountId) ?? { accountId, sessionMs: 0, leaseMs: 0 };
        times.set(accountId, {
          accountId,
          sessionMs: before.sessionMs + sessionMs,
          leaseMs: before.leaseMs + leaseMs,
        });
      }
      yield undefined;
    }
  }

  /** Adds the accounts that the caller may see, one in a step. */
  *#known(
    caller: Caller,
    times: Iterable<AccountTimes>,
    people: NonNullable<UseOfMonth['people']>[number][],
  ): Generator<undefined, void, undefined> {
    for (const { accountId, sessionMs, leaseMs } of times) {
      const account = this.#tools.stores.accounts.byId(accountId);
      if (account !== undefined && maySee(caller, account))
        people.push({ id: account.id, email: account.email, sessionMs, leaseMs });
      yield undefined;
    }
  }

  /** Returns the totals of each team. Teams that have been deleted are left out. */
  #teams(rows: readonly PhoneUse[]): UseOfTeam[] {
    const phones = new Map<string | null, Set<string>>();
    for (const { teamId, udid } of rows) phones.set(teamId, (phones.get(teamId) ?? new Set()).add(udid));
    return [...sums(rows, ({ teamId }) => teamId)].flatMap(([teamId, times]) => {
      const team = this.#teamOf(teamId);
      if (teamId !== null && team === null) return [];
      return [{ team, phones: phones.get(teamId)?.size ?? 0, times }];
    });
  }

  #teamOf(id: string | null): Team | null {
    return id === null ? null : (this.#tools.stores.teams.byId(id) ?? null);
  }

  /** Returns the totals. Callers that need them at the same time share one read. */
  async #read(inTurns: InTurns): Promise<Totals> {
    const to = this.#tools.clock.now();
    if (this.#totals !== undefined && Math.abs(to - this.#readAt) < CACHED_MS) return await this.#totals;
    const from = to - (to % HOUR_MS) - (HOURS - 1) * HOUR_MS;
    const sum = new Map<string, PhoneUse>();
    this.#readAt = to;
    this.#totals = inTurns(this.#hours(from, to, sum)).then(() => ({ from, to, rows: [...sum.values()] }));
    // A failed read must not be cached.
    this.#totals.catch(() => {
      this.#totals = undefined;
    });
    return await this.#totals;
  }

  /** Adds the use of each hour from `from` to `to`, one hour in a step. */
  *#hours(from: number, to: number, sum: Map<string, PhoneUse>): Generator<undefined, void, undefined> {
    for (let hour = from; hour <= to; hour += HOUR_MS) {
      for (const row of this.#tools.meter.of(hour)) {
        const key = `${row.udid} ${row.teamId}`;
        sum.set(key, { ...row, ...added(sum.get(key) ?? NO_USE, row) });
      }
      yield undefined;
    }
  }
}

function sums<Key>(rows: readonly PhoneUse[], keyOf: (row: PhoneUse) => Key): Map<Key, UseTimes> {
  const totals = new Map<Key, UseTimes>();
  for (const row of rows) totals.set(keyOf(row), added(totals.get(keyOf(row)) ?? NO_USE, row));
  return totals;
}
