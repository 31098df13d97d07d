import { type Caller, type Clock, mayAccess, maySeeDevice, type Stores, type Team } from '@svc/auth-core';
import { ADMIN } from '@svc/contract';
import type { Device } from '../device.ts';
import type { Devices } from '../devices.ts';
import { added, NO_USE, type PhoneUse, type UseTimes } from './phone-use.ts';
import type { UseMeter } from './use-meter.ts';

const HOUR_MS = 60 * 60 * 1000;
/** Number of hours in the period that is shown: one week, including the current hour. */
const HOURS = 7 * 24;
/** Time (ms) for which the totals are cached, because reading them from the database takes some ms in a large lab. */
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
  readonly meter: Pick<UseMeter, 'since'>;
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
  #totals: Totals | undefined;

  constructor(tools: Tools) {
    this.#tools = tools;
  }

  week(caller: Caller): UseOfLab {
    const { devices } = this.#tools;
    const { from, to, rows } = this.#read();
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

  #read(): Totals {
    const to = this.#tools.clock.now();
    const known = this.#totals;
    if (known !== undefined && Math.abs(to - known.to) < CACHED_MS) return known;
    const from = to - (to % HOUR_MS) - (HOURS - 1) * HOUR_MS;
    this.#totals = { from, to, rows: this.#tools.meter.since(from) };
    return this.#totals;
  }
}

function sums<Key>(rows: readonly PhoneUse[], keyOf: (row: PhoneUse) => Key): Map<Key, UseTimes> {
  const totals = new Map<Key, UseTimes>();
  for (const row of rows) totals.set(keyOf(row), added(totals.get(keyOf(row)) ?? NO_USE, row));
  return totals;
}
