import type { Clock, Log } from '@svc/auth-core';
import type { Devices } from '../devices.ts';
import type { HeldLeases } from '../leases/held-leases.ts';
import type { PhoneQueue } from '../queue/phone-queue.ts';
import {
  added,
  type HourOfUse,
  type KindMonth,
  monthOf,
  type PhoneUse,
  type PhoneUseStore,
} from './phone-use.ts';
import { kindsWanted } from './waiting-saved.ts';

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;
/** Time (ms) between two samples. */
const SAMPLE_MS = 5_000;
/**
 * Maximum time (ms) between two samples that is counted. If more time has passed, for example because the machine was
 * suspended, none of it is counted, because the state of the phones in between is unknown.
 */
const LONGEST_SAMPLE_MS = 3 * SAMPLE_MS;
/** Time (ms) after which the totals in memory are written to the database. */
const WRITE_MS = 60_000;
/** Maximum number of rows that one transaction writes or removes. */
const ROWS_AT_ONCE = 1_000;
/** Maximum number of totals in memory. It is reached only if the database cannot be written for a long time. */
const MOST_UNWRITTEN = 50_000;
/** Time (ms) for which totals of hours are stored: one day longer than the 7 days that are shown. */
const KEPT_MS = 8 * DAY_MS;
/** Time (ms) for which totals of months are stored: two years. */
const MONTHS_KEPT_MS = 731 * DAY_MS;

interface Tools {
  readonly store: PhoneUseStore;
  readonly devices: Devices;
  readonly leases: Pick<HeldLeases, 'on'>;
  readonly queue: Pick<PhoneQueue, 'list'>;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Measures how long each phone is busy, leased and waited for. Every few seconds, it reads the current state from
 * memory and adds the time to totals, which are written to the database once a minute. Commands and create-session
 * requests are therefore not delayed by it. A crash loses the totals of about one minute.
 */
export class UseMeter {
  readonly #tools: Tools;
  #unwritten = new Map<string, HourOfUse>();
  #kinds = new Map<string, KindMonth>();
  #sampledAt: number;
  #writtenAt: number;
  #isFailing = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(tools: Tools) {
    this.#tools = tools;
    this.#sampledAt = tools.clock.now();
    this.#writtenAt = this.#sampledAt;
  }

  start(): void {
    this.#timer = setInterval(() => this.sample(), SAMPLE_MS).unref();
  }

  /** Stops the meter and writes the totals that are in memory. */
  stop(): void {
    clearInterval(this.#timer);
    this.sample();
    while (this.#unwritten.size + this.#kinds.size > 0 && this.#write());
  }

  /** Returns the use in the hour that began at `hour` (ms since 1970), including totals that are still in memory. */
  of(hour: number): PhoneUse[] {
    return [
      ...this.#tools.store.of(hour),
      ...[...this.#unwritten.values()].filter((each) => each.hour === hour),
    ];
  }

  /** Returns the use in the month that began at `month` (ms since 1970), including totals that are still in memory. */
  ofMonth(month: number): PhoneUse[] {
    const unwritten = [...this.#unwritten.values()].filter(({ hour }) => monthOf(hour) === month);
    return [...this.#tools.store.ofMonth(month), ...unwritten];
  }

  /** Returns the saved waiting (ms) by kind in the month that began at `month` (ms since 1970). */
  kindsOf(month: number): Map<string, number> {
    const saved = new Map<string, number>();
    const unwritten = [...this.#kinds.values()].filter((each) => each.month === month);
    for (const { kind, savedMs } of [...this.#tools.store.kindsOf(month), ...unwritten])
      saved.set(kind, (saved.get(kind) ?? 0) + savedMs);
    return saved;
  }

  /**
   * Removes up to `ROWS_AT_ONCE` old totals.
   * @returns true if there may be more to remove, so that the caller should call this method again
   */
  removeOld(): boolean {
    const { store, clock } = this.#tools;
    store.removeMonthsBefore(clock.now() - MONTHS_KEPT_MS);
    return store.removeBefore(clock.now() - KEPT_MS, ROWS_AT_ONCE) === ROWS_AT_ONCE;
  }

  /** Adds the time since the last sample to the totals of each phone, according to the phone's current state. */
  sample(): void {
    const now = this.#tools.clock.now();
    const ms = now - this.#sampledAt;
    this.#sampledAt = now;
    if (ms > 0 && ms <= LONGEST_SAMPLE_MS) {
      this.#add(now - (now % HOUR_MS), ms);
      this.#addKinds(monthOf(now), ms);
    }
    // If `now` is before the last write, the clock was set back. In this case, write immediately, because the normal
    // time for the next write is too far away.
    const isDue = now - this.#writtenAt >= WRITE_MS || now < this.#writtenAt;
    if (isDue && this.#write() && this.#unwritten.size + this.#kinds.size === 0) this.#writtenAt = now;
  }

  #add(hour: number, ms: number): void {
    const { devices, leases } = this.#tools;
    const wanted = this.#wanted();
    for (const { udid, teamId } of devices.list()) {
      const status = devices.statusOf(udid);
      if (status === 'away') continue;
      const key = JSON.stringify([hour, udid, teamId]);
      const before = this.#unwritten.get(key);
      if (before === undefined && this.#unwritten.size >= MOST_UNWRITTEN) continue;
      const isBusy = status === 'busy';
      const isLeased = !isBusy && leases.on(udid) !== undefined;
      const times = {
        presentMs: ms,
        busyMs: isBusy ? ms : 0,
        leasedMs: isLeased ? ms : 0,
        waitedMs: wanted.has(udid) ? ms : 0,
      };
      this.#unwritten.set(key, {
        hour,
        udid,
        teamId,
        ...(before === undefined ? times : added(before, times)),
      });
    }
  }

  /** Adds the time to the kinds of which one more phone would have served a waiting request. */
  #addKinds(month: number, ms: number): void {
    const { devices, queue } = this.#tools;
    if (queue.list().length === 0) return;
    const all = devices.list();
    const free = all.filter(({ udid }) => devices.availabilityOf(udid) === 'free');
    const requests = queue.list().flatMap(({ request }) => {
      // A request for one phone cannot use another one, and a request at a limit, or with a free phone, waits for
      // something else.
      const isForAny = request.needsDevice && request.wants.udid === null;
      if (!isForAny || request.heldBack(request.caller) !== null) return [];
      const usable = request.usable(request.caller);
      return free.some(usable) ? [] : [{ usable }];
    });
    if (requests.length === 0) return;
    for (const kind of kindsWanted(requests, all)) {
      const key = JSON.stringify([month, kind]);
      const before = this.#kinds.get(key);
      if (before === undefined && this.#kinds.size >= MOST_UNWRITTEN) continue;
      this.#kinds.set(key, { month, kind, savedMs: (before?.savedMs ?? 0) + ms });
    }
  }

  /** Returns the udids of the phones that at least one waiting request could use. */
  #wanted(): ReadonlySet<string> {
    const { devices, queue } = this.#tools;
    const wanted = new Set<string>();
    const requests = queue.list().filter(({ request }) => request.needsDevice);
    if (requests.length === 0) return wanted;
    let left = devices.list();
    for (const { request } of requests) {
      const isUsable = request.usable(request.caller);
      left = left.filter((device) => {
        if (isUsable(device)) wanted.add(device.udid);
        return !wanted.has(device.udid);
      });
      if (left.length === 0) break;
    }
    return wanted;
  }

  /**
   * Writes up to `ROWS_AT_ONCE` totals to the database and removes them from memory.
   * @returns false if the database cannot be written. The totals then stay in memory.
   */
  #write(): boolean {
    const batch = [...this.#unwritten].slice(0, ROWS_AT_ONCE);
    try {
      this.#tools.store.add(batch.map(([, hour]) => hour));
      this.#tools.store.addKinds([...this.#kinds.values()]);
      this.#kinds.clear();
    } catch (error) {
      if (!this.#isFailing)
        this.#tools.log.warn('The use of phones cannot be stored, trying again', { cause: String(error) });
      this.#isFailing = true;
      return false;
    }
    this.#isFailing = false;
    for (const [key] of batch) this.#unwritten.delete(key);
    return true;
  }
}
