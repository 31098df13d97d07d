import type { Team } from '@svc/auth-core';
import { counted } from '../counted.ts';

/** What a team or an account may use of the lab at most. Null means no limit. */
export interface ShareLimits {
  /** Sessions at the same time, including those that are starting. */
  readonly sessions: number | null;
  /** Leases at the same time. */
  readonly leases: number | null;
  /** Minutes of sessions and leases on a day (UTC), all together. */
  readonly minutes: number | null;
}

export type LimitName = keyof ShareLimits;

/** The account or the team that limits are for. A team's limits are for all its members together. */
export interface ShareSubject {
  readonly kind: 'account' | 'team';
  readonly id: string;
}

export interface ShareRow extends ShareSubject {
  readonly limits: ShareLimits;
}

/** Stores the limits of teams and accounts. They are removed with their team or account. */
export interface ShareStore {
  all(): ShareRow[];
  /** Replaces the limits of a team or an account. Removes them if none is set. */
  save(row: ShareRow): void;
}

/** Times (ms) of one account on one day. */
export interface AccountTimes {
  readonly accountId: string;
  /** Total time of the account's sessions. Two sessions at the same time count twice. */
  readonly sessionMs: number;
  /** Total time for which the account held leased phones without running a session on them. */
  readonly leaseMs: number;
}

export interface AccountDay extends AccountTimes {
  /** Beginning of the day (UTC) in ms since 1970. */
  readonly day: number;
}

export interface AccountTimesStore {
  /** Adds times to the stored totals, in one transaction. Times of accounts that do not exist are left out. */
  add(days: readonly AccountDay[]): void;
  /** Returns the total times of each account on the days from `from` to before `to` (ms since 1970). */
  between(from: number, to: number): AccountTimes[];
  /**
   * Removes at most `most` rows of days that began before `at` (ms since 1970).
   * @returns the number of removed rows
   */
  removeBefore(at: number, most: number): number;
}

interface Reached {
  readonly limit: LimitName;
  readonly most: number;
  /** Team whose limit is reached, or null if it is the limit of the account. */
  readonly team: Team | null;
  /** Seconds until the minutes of the next day begin, or null for a limit of sessions or leases. */
  readonly retryAfter: number | null;
}

/**
 * Thrown if a session or a lease would exceed a limit of its account or of one of its teams. Clients get the message.
 */
export class ShareReached extends Error {
  readonly limit: LimitName;
  readonly most: number;
  readonly team: Team | null;
  readonly retryAfter: number | null;

  constructor({ limit, most, team, retryAfter }: Reached) {
    super(messageOf(limit, most, team));
    this.name = 'ShareReached';
    this.limit = limit;
    this.most = most;
    this.team = team;
    this.retryAfter = retryAfter;
  }

  /** Whether the request may wait in the queue, because the end of another session or lease lets it in. */
  get mayWait(): boolean {
    return this.limit !== 'minutes';
  }
}

function messageOf(limit: LimitName, most: number, team: Team | null): string {
  const who = team === null ? 'the account' : `the team ${team.name}`;
  if (limit === 'minutes')
    return `limit_reached: ${who} has used its ${counted(most, 'minute')} of today (UTC)`;
  return `limit_reached: ${who} may have ${counted(most, limit.slice(0, -1))} at once, and has as many`;
}
