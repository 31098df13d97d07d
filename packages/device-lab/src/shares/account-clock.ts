import type { Clock, Log } from '@svc/auth-core';
import type { DriverSession } from '../driver-session.ts';
import type { Lease } from '../leases/lease.ts';
import type { AccountDay, AccountTimes, AccountTimesStore } from './share-limits.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
/**
 * Maximum time (ms) between two counts that is counted. If more time has passed, for example because the machine was
 * suspended, none of it is counted.
 */
const LONGEST_COUNT_MS = 15_000;
const WRITE_MS = 60_000;
const MOST_UNWRITTEN = 50_000;
/** Days for which the times are stored if the usage by person is shown. Otherwise, only the limits need them. */
const DAYS_SHOWN = 400;
const MOST_REMOVED = 1_000;

interface Tools {
  readonly store: AccountTimesStore | undefined;
  readonly running: () => readonly Pick<DriverSession, 'id' | 'ownerId' | 'startedAt' | 'device'>[];
  readonly leases: () => readonly Pick<Lease, 'udid' | 'ownerId' | 'createdAt'>[];
  readonly clock: Clock;
  readonly log: Log;
}

type Times = Omit<AccountTimes, 'accountId'>;

const NONE: Times = { sessionMs: 0, leaseMs: 0 };

/**
 * Counts for how long each account runs sessions and holds leases. Counts every few seconds, and exactly at the end of
 * each session and lease, so that sessions between two counts are not free. Commands are not delayed by it. A crash
 * loses about the last minute.
 */
export class AccountClock {
  readonly #tools: Tools;
  #day: number;
  /** Times on `#day`, by account id. */
  readonly #today = new Map<string, Times>();
  readonly #unwritten = new Map<string, AccountDay>();
  #countedAt: number;
  #writtenAt: number;
  #isFailing = false;

  constructor(tools: Tools) {
    this.#tools = tools;
    this.#countedAt = tools.clock.now();
    this.#writtenAt = this.#countedAt;
    this.#day = dayOf(this.#countedAt);
    for (const { accountId, ...times } of tools.store?.between(this.#day, this.#day + DAY_MS) ?? [])
      this.#today.set(accountId, times);
  }

  /** Time (ms) until the next day (UTC) begins. */
  get leftOfDayMs(): number {
    const now = this.#tools.clock.now();
    return dayOf(now) + DAY_MS - now;
  }

  /** Returns the time (ms) of an account's sessions and leases today (UTC). It may lack the last second. */
  usedMsOf(accountId: string): number {
    this.#countSoon();
    const { sessionMs, leaseMs } = this.#today.get(accountId) ?? NONE;
    return sessionMs + leaseMs;
  }

  /** Returns the same for all accounts that `counts` accepts, all together. */
  usedMs(counts: (accountId: string) => boolean): number {
    this.#countSoon();
    let sum = 0;
    for (const [id, { sessionMs, leaseMs }] of this.#today) if (counts(id)) sum += sessionMs + leaseMs;
    return sum;
  }

  /** Returns the times of each account on the days from `from` to before `to` (ms since 1970). */
  between(from: number, to: number): AccountTimes[] {
    this.count();
    const times = new Map<string, AccountTimes>();
    const unwritten = [...this.#unwritten.values()].filter(({ day }) => day >= from && day < to);
    for (const { accountId, sessionMs, leaseMs } of [
      ...(this.#tools.store?.between(from, to) ?? []),
      ...unwritten,
    ]) {
      const before = times.get(accountId) ?? { accountId, ...NONE };
      times.set(accountId, {
        accountId,
        sessionMs: before.sessionMs + sessionMs,
        leaseMs: before.leaseMs + leaseMs,
      });
    }
    return [...times.values()];
  }

  /** Counts the time since the last call. */
  count(): void {
    const { running, leases, clock } = this.#tools;
    const now = clock.now();
    if (now === this.#countedAt) return;
    this.#turnDay(now);
    const sessions = running();
    for (const { ownerId, startedAt } of sessions)
      if (ownerId !== null) this.#add(ownerId, { sessionMs: this.#since(startedAt, now), leaseMs: 0 });
    const held = leases();
    const inUse = new Set(held.length === 0 ? [] : sessions.map(useOf));
    for (const { ownerId, udid, createdAt } of held)
      if (!inUse.has(useOf({ ownerId, device: { udid } })))
        this.#add(ownerId, { sessionMs: 0, leaseMs: this.#since(createdAt, now) });
    this.#countedAt = now;
  }

  /** Counts the rest of a session that has ended, and is no longer one of those that run. */
  sessionEnded({ ownerId, startedAt }: Pick<DriverSession, 'ownerId' | 'startedAt'>): void {
    const now = this.#tools.clock.now();
    if (ownerId !== null) this.#add(ownerId, { sessionMs: this.#since(startedAt, now), leaseMs: 0 });
  }

  /** Counts the rest of a lease that has ended. */
  leaseEnded({ ownerId, udid, createdAt }: Pick<Lease, 'ownerId' | 'udid' | 'createdAt'>): void {
    const runs = this.#tools
      .running()
      .some((session) => session.ownerId === ownerId && session.device?.udid === udid);
    const now = this.#tools.clock.now();
    if (!runs) this.#add(ownerId, { sessionMs: 0, leaseMs: this.#since(createdAt, now) });
  }

  /** Writes the times to the database if the last time is a minute ago, or if `isLast` is true. Never throws. */
  write(isLast = false): void {
    const { store, clock, log } = this.#tools;
    const now = clock.now();
    if (!isLast && Math.abs(now - this.#writtenAt) < WRITE_MS) return;
    this.#writtenAt = now;
    if (store === undefined || this.#unwritten.size === 0) return;
    try {
      store.add([...this.#unwritten.values()]);
      this.#unwritten.clear();
      this.#isFailing = false;
    } catch (error) {
      if (!this.#isFailing)
        log.warn('The times of accounts cannot be stored, trying again', { cause: String(error) });
      this.#isFailing = true;
    }
  }

  /**
   * Removes some of the times that are not needed any more.
   * @param isShown whether the usage by person is shown, which needs the times of a year
   * @returns true if there may be more to remove. If so, call this method again.
   */
  removeOld(isShown: boolean): boolean {
    const from = dayOf(this.#tools.clock.now()) - (isShown ? DAYS_SHOWN * DAY_MS : 0);
    return this.#tools.store?.removeBefore(from, MOST_REMOVED) === MOST_REMOVED;
  }

  /** Counts at most once a second, because many waiting requests ask for the times at the same moment. */
  #countSoon(): void {
    const now = this.#tools.clock.now();
    if (Math.abs(now - this.#countedAt) >= 1_000 || dayOf(now) !== this.#day) this.count();
  }

  #turnDay(now: number): void {
    if (dayOf(now) === this.#day) return;
    this.#day = dayOf(now);
    this.#today.clear();
  }

  #since(start: number, now: number): number {
    const ms = now - Math.max(this.#countedAt, start);
    return now - this.#countedAt > LONGEST_COUNT_MS ? 0 : Math.max(0, ms);
  }

  #add(accountId: string, { sessionMs, leaseMs }: Times): void {
    if (sessionMs + leaseMs === 0) return;
    const before = this.#today.get(accountId) ?? NONE;
    this.#today.set(accountId, {
      sessionMs: before.sessionMs + sessionMs,
      leaseMs: before.leaseMs + leaseMs,
    });
    if (this.#tools.store === undefined) return;
    const key = `${this.#day} ${accountId}`;
    const row = this.#unwritten.get(key);
    if (row === undefined && this.#unwritten.size >= MOST_UNWRITTEN) return;
    this.#unwritten.set(key, {
      ...{ day: this.#day, accountId },
      sessionMs: (row?.sessionMs ?? 0) + sessionMs,
      leaseMs: (row?.leaseMs ?? 0) + leaseMs,
    });
  }
}

function dayOf(at: number): number {
  return at - (at % DAY_MS);
}

/** @returns a text that is the same for a lease and for a session of its holder on its phone */
function useOf({ ownerId, device }: { ownerId: string | null; device: { udid: string } | null }): string {
  return `${ownerId} ${device?.udid}`;
}
