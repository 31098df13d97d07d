import type { Clock, Log } from '@svc/auth-core';
import type { ReadHealth } from './health-probes.ts';

/** What a probe of a phone read, as it is stored. */
export interface HealthRow extends Omit<ReadHealth, 'checkedAt'> {
  readonly udid: string;
  /** Time of the probe (ms since 1970). */
  readonly at: number;
}

/** How the sessions of a phone went on one day (UTC). */
export interface DayOfSessions {
  /** Beginning of the day in ms since 1970. */
  readonly day: number;
  /** Sessions that ended. */
  readonly ended: number;
  /** Sessions of these that ended with a failure category. */
  readonly failed: number;
  /** Create-session requests that the driver refused. A hub does not know those of its nodes. */
  readonly refused: number;
}

type Counts = Omit<DayOfSessions, 'day'>;

/** The last week of a phone. `failureRate` is what `HealthHistory.failureRateOf` returns. */
interface HistoryOfPhone {
  readonly probes: readonly HealthRow[];
  readonly days: readonly DayOfSessions[];
  readonly failureRate: number | null;
}

/** Stores what probes read from phones, and how their sessions went. The methods are synchronous. */
export interface HealthStore {
  /** Adds rows, or replaces those of the same phone and time. */
  save(...rows: HealthRow[]): void;
  /** Returns the rows of a phone since `from` (ms since 1970), oldest first. */
  of(udid: string, from: number): HealthRow[];
  /** Adds to the counts of a phone on a day. */
  count(udid: string, day: number, more: Counts): void;
  /** Returns the counts of a phone since `from` (ms since 1970), oldest first. */
  daysOf(udid: string, from: number): DayOfSessions[];
  /** Returns the counts of each phone since `from` (ms since 1970), all days together. */
  totals(from: number): (Counts & { readonly udid: string })[];
  /**
   * Removes at most `most` rows of each kind that are older than `at` (ms since 1970).
   * @returns the larger number of removed rows
   */
  removeBefore(at: number, most: number): number;
}

interface Tools {
  readonly store: HealthStore;
  readonly devices: { list(): readonly { readonly udid: string }[] };
  /** Returns what the last probe of a phone read, here or at its node. */
  readonly healthOf: (udid: string) => ReadHealth | null;
  readonly clock: Clock;
  readonly log: Log;
}

const DAY_MS = 24 * 60 * 60 * 1000;
const WEEK_MS = 7 * DAY_MS;
/** Minimum time (ms) between two stored probes of a phone. */
const STORED_EVERY_MS = 15 * 60_000;
const LOOK_EVERY_MS = 60_000;
const MOST_REMOVED = 1_000;

/** Battery, temperature and storage of the phones over the last week: about one row each quarter of an hour. */
export class HealthHistory {
  readonly #tools: Tools;
  /** For each phone, the time of the last stored probe and the time at which it was stored (ms since 1970). */
  readonly #stored = new Map<string, { readonly at: number; readonly storedAt: number }>();
  #lookedAt = Number.NEGATIVE_INFINITY;
  /** Failure rates by udid, for the week that began at `from`, until another outcome is counted. */
  #rates: { readonly from: number; readonly of: ReadonlyMap<string, number | null> } | null = null;

  constructor(tools: Tools) {
    this.#tools = tools;
  }

  /** Stores the last probes of the phones whose last stored one is old. Called every second, looks once a minute. */
  sweep(): void {
    const { store, devices, healthOf, clock, log } = this.#tools;
    const now = clock.now();
    // The clock may have been set back.
    if (Math.abs(now - this.#lookedAt) < LOOK_EVERY_MS) return;
    this.#lookedAt = now;
    const rows = devices.list().flatMap(({ udid }) => {
      const health = healthOf(udid);
      if (health === null) return [];
      const row = rowOf(udid, health, now);
      const last = this.#stored.get(udid);
      const isRecent = last !== undefined && Math.abs(now - last.storedAt) < STORED_EVERY_MS;
      return isRecent || row.at === last?.at ? [] : [row];
    });
    if (rows.length === 0) return;
    try {
      store.save(...rows);
      for (const { udid, at } of rows) this.#stored.set(udid, { at, storedAt: now });
    } catch (error) {
      log.warn('The health of phones could not be stored', { cause: String(error) });
    }
    const known = new Set(devices.list().map(({ udid }) => udid));
    for (const udid of this.#stored.keys()) if (!known.has(udid)) this.#stored.delete(udid);
  }

  /** Called when a session on a phone has ended or a driver has refused one. Never throws. */
  note(udid: string, what: 'ended' | 'failed' | 'refused'): void {
    const { store, clock, log } = this.#tools;
    const now = clock.now();
    const ended = what === 'refused' ? 0 : 1;
    const counts = { ended, failed: what === 'failed' ? 1 : 0, refused: 1 - ended };
    this.#rates = null;
    try {
      store.count(udid, now - (now % DAY_MS), counts);
    } catch (error) {
      log.warn('The outcome of a session could not be counted', { cause: String(error) });
    }
  }

  /** Returns the stored probes of a phone and the counts of its sessions in the last seven days, oldest first. */
  of(udid: string): HistoryOfPhone {
    const { store, clock } = this.#tools;
    const from = clock.now() - WEEK_MS;
    const days = store.daysOf(udid, from - (from % DAY_MS));
    return { probes: store.of(udid, from), days, failureRate: this.failureRateOf(udid) };
  }

  /**
   * @returns the part of a phone's sessions of the week that ended with a failure category or were refused, or null if
   * there were none. A session that only its test marked as failed says nothing about the phone, so it does not count.
   */
  failureRateOf(udid: string): number | null {
    const { store, clock } = this.#tools;
    const weekAgo = clock.now() - WEEK_MS;
    const from = weekAgo - (weekAgo % DAY_MS);
    if (this.#rates?.from !== from)
      this.#rates = { from, of: new Map(store.totals(from).map((row) => [row.udid, failureRate(row)])) };
    return this.#rates.of.get(udid) ?? null;
  }

  /**
   * Removes some of the probes that are older than a week.
   * @returns true if there may be more to remove. If so, call this method again.
   */
  removeOld(): boolean {
    const { store, clock } = this.#tools;
    return store.removeBefore(clock.now() - WEEK_MS - DAY_MS, MOST_REMOVED) === MOST_REMOVED;
  }
}

/** @returns the part of sessions that ended with a failure category or were refused, or null if there were none */
function failureRate({ ended, failed, refused }: Counts): number | null {
  const all = ended + refused;
  return all === 0 ? null : (failed + refused) / all;
}

/**
 * Makes a row of what a probe read. A node may report any numbers, so a time in the future becomes the present, because
 * the row would never be removed, and free storage becomes a whole number of bytes, as which it is stored.
 */
function rowOf(udid: string, { checkedAt, storageFree, ...read }: ReadHealth, now: number): HealthRow {
  const bytes = storageFree === null ? Number.NaN : Math.round(storageFree);
  const at = Math.min(checkedAt, now);
  return { udid, at, ...read, storageFree: Number.isSafeInteger(bytes) ? bytes : null };
}
