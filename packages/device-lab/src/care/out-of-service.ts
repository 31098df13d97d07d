import { type Audit, actorOf, type Caller, type Clock, type Log, Refusal, type Stores } from '@svc/auth-core';
import type { Device } from '../device.ts';
import type { Devices } from '../devices.ts';
import { phoneHealthy, phoneUnhealthy } from '../events/health-events.ts';
import type { LabEvents } from '../events/lab-events.ts';
import type { CareStore, OutOfServiceRow } from './care-store.ts';

/** Input of an Admin who puts a phone out of service. */
export interface MaintenanceInput {
  readonly reason: string;
  /** ISO 8601 time at which the phone returns automatically, or null or absent if it does not. */
  readonly until?: string | null | undefined;
}

interface Tools {
  readonly store: CareStore;
  readonly lab: {
    readonly devices: Devices;
    readonly events: Pick<LabEvents, 'publish'>;
    deviceChanged(device: Device, teamBefore: string | null): void;
  };
  readonly stores: Pick<Stores, 'transaction'>;
  readonly audit: Audit;
  readonly clock: Clock;
  readonly log: Log;
}

const ISO = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})$/;

/**
 * The phones that are out of service (contract 17.1). Such a phone fits no create-session request and no lease, which
 * get the response for a busy phone. A session that runs on it goes on.
 */
export class OutOfService {
  readonly #tools: Tools;
  readonly #listeners: (() => void)[] = [];
  readonly #rows = new Map<string, OutOfServiceRow>();

  constructor(tools: Tools) {
    this.#tools = tools;
    for (const row of tools.store.all()) {
      this.#rows.set(row.udid, row);
      tools.lab.devices.block(row.udid);
    }
  }

  /** Adds a listener that is called after a phone was put out of service or back. It must not throw. */
  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  get count(): number {
    return this.#rows.size;
  }

  /** Returns the phones that the lab has put out of service. */
  ofLab(): OutOfServiceRow[] {
    return [...this.#rows.values()].filter(({ byId }) => byId === null);
  }

  on(udid: string): OutOfServiceRow | null {
    return this.#rows.get(udid) ?? null;
  }

  /**
   * Puts a phone out of service for an Admin. Throws `not_found` if the phone is unknown, `bad_request` for an empty
   * reason, and `invalid_expiry` if the end is no ISO 8601 time in the future.
   */
  begin(caller: Caller, udid: string, { reason, until }: MaintenanceInput): void {
    const { clock } = this.#tools;
    this.#checkKnown(udid);
    const text = reason.trim();
    if (text === '' || /[\p{Cc}\p{Cs}]/u.test(text)) {
      const message = 'reason: must have a character that is visible, and no control characters';
      throw new Refusal('bad_request', 'unusable reason', { message });
    }
    const now = clock.now();
    const row = { udid, reason: text, byId: caller.account.id, since: now, until: endOf(until, now) };
    this.#put(row, actorOf(caller));
  }

  /** Puts a phone back for an Admin. Has no effect if it is in service. Throws `not_found` if the phone is unknown. */
  end(caller: Caller, udid: string): void {
    this.#checkKnown(udid);
    if (this.#rows.has(udid)) this.#remove(udid, 'put back by an administrator', actorOf(caller));
  }

  /**
   * Puts a phone out of service because the lab found a problem. Has no effect if an Admin has put it out.
   * @returns whether the phone was in service before
   */
  putOut(udid: string, reason: string, until: number | null): boolean {
    const before = this.#rows.get(udid);
    if (before !== undefined && before.byId !== null) return false;
    if (before?.reason === reason && until === null) return false;
    this.#put({ udid, reason, byId: null, since: before?.since ?? this.#tools.clock.now(), until }, {});
    const { devices, events } = this.#tools.lab;
    const device = devices.byUdid(udid);
    if (before === undefined && device !== undefined) events.publish(phoneUnhealthy(device, reason));
    return before === undefined;
  }

  /**
   * Puts a phone back that the lab has put out.
   * @returns whether it was out
   */
  putBack(udid: string, why: string): boolean {
    if (this.#rows.get(udid)?.byId !== null) return false;
    this.#remove(udid, why, {});
    return true;
  }

  /** Puts phones back whose time is over. Called every second. */
  sweep(): void {
    const now = this.#tools.clock.now();
    for (const { udid, until } of [...this.#rows.values()]) {
      if (until === null || until > now) continue;
      try {
        this.#remove(udid, 'its time is over', {});
      } catch (error) {
        // The phone stays out of service until the change can be stored, and is tried again every second.
        this.#tools.log.debug('A phone could not be put back into service', { cause: String(error) });
      }
    }
  }

  #checkKnown(udid: string): void {
    if (this.#tools.lab.devices.byUdid(udid) === undefined) throw new Refusal('not_found', 'unknown device');
  }

  #put(row: OutOfServiceRow, who: object): void {
    const { store, stores, audit } = this.#tools;
    const { udid, until } = row;
    const end = until === null ? '' : ` until ${new Date(until).toISOString()}`;
    stores.transaction((tx) => {
      store.save(row);
      audit.record(tx, 'device_out_of_service', { ...who, target: udid, reason: `${row.reason}${end}` });
    });
    this.#rows.set(udid, row);
    this.#tools.lab.devices.block(udid);
    this.#changed(udid);
  }

  #remove(udid: string, reason: string, who: object): void {
    const { store, stores, audit } = this.#tools;
    stores.transaction((tx) => {
      store.remove(udid);
      audit.record(tx, 'device_in_service', { ...who, target: udid, reason });
    });
    const isLabs = this.#rows.get(udid)?.byId === null;
    this.#rows.delete(udid);
    const { devices, events } = this.#tools.lab;
    devices.unblock(udid);
    this.#changed(udid);
    const device = devices.byUdid(udid);
    if (isLabs && device !== undefined) events.publish(phoneHealthy(device, reason));
  }

  #changed(udid: string): void {
    const device = this.#tools.lab.devices.byUdid(udid);
    if (device !== undefined) this.#tools.lab.deviceChanged(device, device.teamId);
    for (const tell of this.#listeners) tell();
  }
}

function endOf(until: string | null | undefined, now: number): number | null {
  if (until === null || until === undefined) return null;
  const time = ISO.test(until) ? Date.parse(until) : Number.NaN;
  if (!(time > now)) throw new Refusal('invalid_expiry', 'until is not a time in the future');
  return time;
}
