import type { Account, Team } from '@svc/auth-core';
import type { DriverSession } from '../driver-session.ts';
import type { Lease } from '../leases/lease.ts';
import type { AccountClock } from './account-clock.ts';
import {
  type LimitName,
  type ShareLimits,
  ShareReached,
  type ShareStore,
  type ShareSubject,
} from './share-limits.ts';

const MINUTE_MS = 60_000;

interface Tools {
  readonly store: ShareStore | undefined;
  readonly accountOf: (id: string) => Account | undefined;
  readonly running: () => readonly Pick<DriverSession, 'ownerId'>[];
  readonly leases: () => readonly Pick<Lease, 'ownerId'>[];
  readonly time: Pick<AccountClock, 'usedMs' | 'usedMsOf' | 'leftOfDayMs'>;
}

/** What is used of a share now. The minutes are those of today (UTC). */
export type ShareUse = { readonly [Name in LimitName]: number };

/** A limit that applies to an account. */
interface Applying {
  readonly limits: ShareLimits;
  readonly team: Team | null;
}

/**
 * Enforces what teams and accounts may use of the lab. Sessions and leases of an account count for the account and for
 * each of its teams, also those of its agents. A running session goes on when the minutes are used up.
 */
export class Shares {
  readonly #tools: Tools;
  readonly #limits = new Map<string, ShareLimits>();
  /** Number of sessions that are starting, by the id of the account that will own them. */
  readonly #starting = new Map<string, number>();
  /** Number of refused sessions and leases since the server started, by the limit that was reached. */
  readonly refused: Record<LimitName, number> = { sessions: 0, leases: 0, minutes: 0 };

  constructor(tools: Tools) {
    this.#tools = tools;
    for (const row of tools.store?.all() ?? []) this.#limits.set(keyOf(row), row.limits);
  }

  limitsOf(subject: ShareSubject): ShareLimits | null {
    return this.#limits.get(keyOf(subject)) ?? null;
  }

  /** Returns the teams and accounts that have limits. Some of them may have been deleted. */
  subjects(): ShareSubject[] {
    return [...this.#limits.keys()].map(subjectOf);
  }

  /** Takes over limits that were stored. Requests that wait should be tried again afterwards. */
  changed(subject: ShareSubject, limits: ShareLimits): void {
    if (isUnlimited(limits)) this.#limits.delete(keyOf(subject));
    else this.#limits.set(keyOf(subject), limits);
  }

  /** Throws `ShareReached` if the account may have no further session or lease now. Null stands for no account. */
  check(accountId: string | null, what: 'sessions' | 'leases'): void {
    const reached = this.reached(accountId, what);
    if (reached === null) return;
    this.refused[reached.limit] += 1;
    throw reached;
  }

  /** Returns why the account may have no further session or lease now, or null if it may. */
  reached(accountId: string | null, what: 'sessions' | 'leases'): ShareReached | null {
    for (const { limits, team } of this.#applying(accountId)) {
      const most = limits[what];
      const isCounted = this.#countsFor(accountId, team);
      if (most !== null && this.#countOf(what, isCounted) >= most)
        return new ShareReached({ limit: what, most, team, retryAfter: null });
      const { minutes } = limits;
      if (minutes !== null && this.#usedMs(accountId, team) >= minutes * MINUTE_MS) {
        const retryAfter = Math.ceil(this.#tools.time.leftOfDayMs / 1_000);
        return new ShareReached({ limit: 'minutes', most: minutes, team, retryAfter });
      }
    }
    return null;
  }

  /** Returns for how long (ms) the minutes of the account last if it only holds one phone, or infinity for no limit. */
  leftMs(accountId: string): number {
    let left = Number.POSITIVE_INFINITY;
    for (const { limits, team } of this.#applying(accountId)) {
      if (limits.minutes === null) continue;
      left = Math.min(left, Math.max(0, limits.minutes * MINUTE_MS - this.#usedMs(accountId, team)));
    }
    return left;
  }

  /**
   * Counts a session of the account as starting.
   * @returns a function to call once the session runs or has failed to start
   */
  begin(accountId: string | null): () => void {
    if (accountId === null) return () => undefined;
    this.#starting.set(accountId, (this.#starting.get(accountId) ?? 0) + 1);
    return () => {
      const left = (this.#starting.get(accountId) ?? 1) - 1;
      if (left === 0) this.#starting.delete(accountId);
      else this.#starting.set(accountId, left);
    };
  }

  /** Returns what a team or an account uses now. */
  useOf({ kind, id }: ShareSubject): ShareUse {
    const isCounted = kind === 'account' ? (accountId: string) => accountId === id : this.#inTeam(id);
    return {
      sessions: this.#countOf('sessions', isCounted),
      leases: this.#countOf('leases', isCounted),
      minutes: Math.floor(this.#tools.time.usedMs(isCounted) / MINUTE_MS),
    };
  }

  /** Returns the limits that apply to an account: its own, then those of its teams. */
  #applying(accountId: string | null): Applying[] {
    if (accountId === null || this.#limits.size === 0) return [];
    const own = this.#limits.get(keyOf({ kind: 'account', id: accountId }));
    const teams = this.#tools.accountOf(accountId)?.teams ?? [];
    const ofTeams = teams.flatMap((team) => {
      const limits = this.#limits.get(keyOf({ kind: 'team', id: team.id }));
      return limits === undefined ? [] : [{ limits, team }];
    });
    return own === undefined ? ofTeams : [{ limits: own, team: null }, ...ofTeams];
  }

  #usedMs(accountId: string | null, team: Team | null): number {
    const { time } = this.#tools;
    if (team !== null) return time.usedMs(this.#inTeam(team.id));
    return accountId === null ? 0 : time.usedMsOf(accountId);
  }

  #countsFor(accountId: string | null, team: Team | null): (id: string) => boolean {
    return team === null ? (id) => id === accountId : this.#inTeam(team.id);
  }

  #inTeam(teamId: string): (accountId: string) => boolean {
    return (accountId) => this.#tools.accountOf(accountId)?.teams.some(({ id }) => id === teamId) === true;
  }

  #countOf(what: 'sessions' | 'leases', isCounted: (accountId: string) => boolean): number {
    const held = what === 'leases' ? this.#tools.leases() : this.#tools.running();
    let count = held.filter(({ ownerId }) => ownerId !== null && isCounted(ownerId)).length;
    if (what === 'sessions')
      for (const [id, starting] of this.#starting) if (isCounted(id)) count += starting;
    return count;
  }
}

function isUnlimited({ sessions, leases, minutes }: ShareLimits): boolean {
  return sessions === null && leases === null && minutes === null;
}

function keyOf({ kind, id }: ShareSubject): string {
  return `${kind} ${id}`;
}

function subjectOf(key: string): ShareSubject {
  const [kind, id = ''] = key.split(' ');
  return { kind: kind === 'team' ? 'team' : 'account', id };
}
