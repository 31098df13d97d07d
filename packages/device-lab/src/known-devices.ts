import type { Clock, Log } from '@svc/auth-core';
import { type Device, type SourceDevice, usableDevice } from './device.ts';
import type { DeviceSetting, DeviceSettingStore } from './device-settings.ts';
import {
  type DeviceChange,
  isForgettable,
  type KnownDevice,
  type ReportedDevice,
  reportedBy,
  reportedByNone,
  settingOf,
  storedDevice,
} from './known-device.ts';
import type { DeviceSource } from './sources/device-source.ts';

/** Listener for changes of devices. Must not throw, because its errors are not caught. */
type DeviceListener = (change: DeviceChange, device: Device, source: DeviceSource) => void;
/** Listener for changes of the status of a device. Must not throw, because its errors are not caught. */
export type StatusListener = (device: Device) => void;

/** What an Admin may change of a device. */
export type DeviceChangeByAdmin = Partial<Pick<DeviceSetting, 'teamId' | 'tags' | 'givenName' | 'note'>>;

interface DevicesOptions {
  readonly settings: DeviceSettingStore;
  readonly clock: Clock;
  readonly log: Log;
}

const MOST_DEVICES = 10_000;
const DAY_MS = 24 * 60 * 60 * 1000;
/** Time (ms) after which a device that is away is removed from the list, unless an Admin has changed it. */
const REMEMBERED_MS = 30 * DAY_MS;

/**
 * Which devices the lab knows, including devices that are away. They are kept in memory, and stored so that they are
 * still listed after a restart.
 */
export class KnownDevices {
  protected readonly clock: Clock;
  readonly #options: DevicesOptions;
  readonly #known = new Map<string, KnownDevice>();
  /** For each device that is present and free, the time (ms since 1970) since which it has been idle. */
  protected readonly idleSince = new Map<string, number>();
  readonly #reports = new Map<DeviceSource, ReadonlyMap<string, ReportedDevice>>();
  readonly #listeners: DeviceListener[] = [];
  #revision = 0;
  readonly #statusListeners: StatusListener[] = [];
  /**
   * Udids that were stored before this start of the server and have not been reported since. The first report of such a
   * device is not published as `online`, because the device may have been connected while the server was stopped.
   */
  readonly #unseen = new Set<string>();
  #isFull = false;

  constructor(options: DevicesOptions) {
    this.#options = options;
    this.clock = options.clock;
    const rows = options.settings.all();
    for (const row of rows.sort(inOrder)) {
      this.#known.set(row.udid, storedDevice(row));
      this.#unseen.add(row.udid);
    }
  }

  /** Whether the lab has no device source. If so, the lab allocates no devices, and drivers pick devices themselves. */
  get isEmpty(): boolean {
    return this.#reports.size === 0;
  }

  /**
   * Adds a source of devices. As soon as there is a source, a session can start only on a device that the lab
   * allocates. Until a source reports a device, no session can start.
   */
  expect(source: DeviceSource): void {
    if (!this.#reports.has(source)) this.#reports.set(source, new Map());
  }

  onChange(listener: DeviceListener): void {
    this.#listeners.push(listener);
  }

  /** Adds a listener that is called whenever the status of a device changes, after the listeners of `onChange`. */
  onStatus(listener: StatusListener): void {
    this.#statusListeners.push(listener);
  }

  /**
   * Replaces the devices that `source` reports. If two sources report the same device, the device belongs to the source
   * that was added first.
   */
  report(source: DeviceSource, devices: readonly SourceDevice[]): void {
    this.expect(source);
    const before = this.#reports.get(source) as ReadonlyMap<string, ReportedDevice>;
    const usable = devices.slice(0, MOST_DEVICES).flatMap((device) => usableDevice(device) ?? []);
    const now = new Map(usable.map((device) => [device.udid, device]));
    this.#reports.set(source, now);
    const changes = [...new Set([...before.keys(), ...now.keys()])].flatMap(
      (udid) => this.#update(udid) ?? [],
    );
    this.#store(() => {
      const changed = changes.flatMap(({ device }) => this.#known.get(device.udid) ?? []);
      if (changed.length > 0) this.#options.settings.save(...changed.map(settingOf));
    });
    for (const { change, device } of changes) {
      if (change !== 'seen') for (const tell of this.#listeners) tell(change, device, source);
      if (change !== 'changed' && change !== 'new') this.tellStatus(device);
    }
  }

  /** Removes a source. Devices that only this source reported are then away. */
  leave(source: DeviceSource): void {
    this.report(source, []);
    this.#reports.delete(source);
  }

  /** Number that grows whenever a device comes, goes or gets other facts, but not when its status changes. */
  get revision(): number {
    return this.#revision;
  }

  list(): Device[] {
    return [...this.#known.values()].map(({ device }) => device);
  }

  byUdid(udid: string): Device | undefined {
    return this.#known.get(udid)?.device;
  }

  /** @returns the source that reports the device now, or null if the device is away or unknown */
  sourceOf(udid: string): DeviceSource | null {
    return this.#known.get(udid)?.source ?? null;
  }

  /** @returns the tags that an Admin has set and those that the source gives the device */
  tagsOf(udid: string): readonly string[] {
    const known = this.#known.get(udid);
    if (known === undefined) return [];
    const { sourceTags = [] } = known.device;
    return sourceTags.length === 0 ? known.tags : [...new Set([...sourceTags, ...known.tags])];
  }

  /** @returns the note of an Admin about a device, or null if it has none */
  noteOf(udid: string): string | null {
    return this.#known.get(udid)?.note ?? null;
  }

  /**
   * Changes the team, the tags, the name or the note of a device. A session that runs on the device continues.
   * @param change with `givenName` null, the device gets back the name that its source reports
   * @returns the changed device, or undefined if it is unknown
   */
  change(udid: string, change: DeviceChangeByAdmin): Device | undefined {
    const known = this.#known.get(udid);
    if (known === undefined) return undefined;
    this.#options.settings.save({ ...settingOf(known), ...change });
    const { teamId = known.device.teamId, tags = known.tags, note = known.note } = change;
    const { givenName = known.givenName } = change;
    const device = { ...known.device, teamId, name: givenName ?? known.reportedName };
    this.#remember(udid, { ...known, device, tags, givenName, note });
    return device;
  }

  protected tellStatus(device: Device): void {
    for (const tell of this.#statusListeners) tell(device);
  }

  /**
   * Removes devices that come from a configured list and are away. Called at the start, after the configured lists have
   * been loaded. A device of such a list is then away only if the operator has removed it from the list.
   */
  forgetUnlisted(): void {
    this.#forget((known) => known.lastSeenAt === null);
  }

  /**
   * Called once a day. Stores the current time as the last time at which the present devices were seen, and removes
   * devices that have been away for `REMEMBERED_MS`.
   */
  tidy(): void {
    const now = this.clock.now();
    this.#forget(({ lastSeenAt }) => lastSeenAt !== null && lastSeenAt < now - REMEMBERED_MS);
    const there = [...this.#known].filter(([, { source }]) => source?.comesAndGoes === true);
    for (const [udid, known] of there) this.#remember(udid, { ...known, lastSeenAt: now });
    this.#store(() => {
      const rows = there.map(([, known]) => settingOf({ ...known, lastSeenAt: now }));
      if (rows.length > 0) this.#options.settings.save(...rows);
    });
  }

  /**
   * Recomputes one device from the latest reports of all sources.
   * @returns the change and the device, or undefined if nothing changed
   */
  #update(udid: string): { change: DeviceChange | 'seen'; device: Device } | undefined {
    const before = this.#known.get(udid);
    const found = [...this.#reports].find(([, devices]) => devices.has(udid));
    const now = this.clock.now();
    if (before === undefined && (found === undefined || !this.#hasRoom())) return undefined;
    const update =
      found === undefined
        ? reportedByNone(before as KnownDevice, now)
        : reportedBy(found[0], found[1].get(udid) as ReportedDevice, before, now);
    if (update === undefined) return undefined;
    const { change, known } = update;
    this.#remember(udid, known);
    if (known.source !== null && before?.source == null) this.idleSince.set(udid, now);
    const wasUnseen = found !== undefined && this.#unseen.delete(udid);
    if (change === null) return undefined;
    return { change: change === 'online' && wasUnseen ? 'seen' : change, device: known.device };
  }

  /**
   * Returns whether another device can be added to the list. If the list is full, this method first removes the device
   * that has been away longest. A device that an Admin has changed is never removed.
   */
  #hasRoom(): boolean {
    if (this.#known.size < MOST_DEVICES) return true;
    const away = [...this.#known].filter(([, known]) => isForgettable(known));
    const [oldest] = away.sort(([, a], [, b]) => (a.lastSeenAt ?? 0) - (b.lastSeenAt ?? 0));
    if (oldest === undefined) {
      if (!this.#isFull)
        this.#options.log.warn(`The lab has more than ${MOST_DEVICES} devices; further ones are ignored`);
      this.#isFull = true;
      return false;
    }
    this.#forget((_known, udid) => udid === oldest[0]);
    return true;
  }

  #remember(udid: string, known: KnownDevice): void {
    this.#known.set(udid, known);
    this.#revision += 1;
  }

  #forget(isGone: (known: KnownDevice, udid: string) => boolean): void {
    const gone = [...this.#known].filter(([udid, known]) => isForgettable(known) && isGone(known, udid));
    if (gone.length === 0) return;
    for (const [udid] of gone) {
      this.#known.delete(udid);
      this.#revision += 1;
      this.idleSince.delete(udid);
    }
    this.#store(() => this.#options.settings.remove(gone.map(([udid]) => udid)));
  }

  /** Writes to the store. If writing fails, the change is only in memory and is lost at the next restart. */
  #store(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#options.log.warn('The list of known devices could not be stored', { cause: String(error) });
    }
  }
}

const numbersByValue = new Intl.Collator('en', { numeric: true });

function inOrder(a: DeviceSetting, b: DeviceSetting): number {
  return numbersByValue.compare(a.udid, b.udid);
}
