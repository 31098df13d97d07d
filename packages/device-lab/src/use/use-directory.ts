import { type Caller, type Clock, mayAccess, maySeeDevice, type Stores, type Team } from '@svc/auth-core';
import { ADMIN } from '@svc/contract';
import type { Device } from '../device.ts';
import type { Devices } from '../devices.ts';
import { added, NO_USE, type PhoneUse, type UseTimes } from './phone-use.ts';
import type { UseMeter } from './use-meter.ts';

const HOUR_MS = 60 * 60 * 1000;
/** Number of hours in the period that is shown: one week, including the current hour. */
const HOURS = 7 * 24;
/** Time (ms) for which the totals are cached, because reading them takes a while in a large lab. */
const CACHED_MS = 5_000;

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

interface Tools {
  readonly meter: Pick<UseMeter, 'of'>;
  readonly devices: Devices;
  readonly stores: Pick<Stores, 'teams'>;
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

  /** @param inTurns does all steps of a long read, and lets other requests run in between */
  async week(caller: Caller, inTurns: (steps: Iterable<undefined>) => Promise<unknown>): Promise<UseOfLab> {
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
  async #read(inTurns: (steps: Iterable<undefined>) => Promise<unknown>): Promise<Totals> {
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
