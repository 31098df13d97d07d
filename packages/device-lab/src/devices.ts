import type { Clock, Log } from '@svc/auth-core';
import { type Device, type DeviceStatus, NO_STREAMS, type SourceDevice, usableDevice } from './device.ts';
import type { DeviceSetting, DeviceSettingStore } from './device-settings.ts';
import type { DeviceSource } from './sources/device-source.ts';

/** `online` and `offline`: the device came back or left. `changed`: its facts, team or tags changed. */
export type DeviceChange = 'new' | 'online' | 'offline' | 'changed';

/** Must not throw. */
type DeviceListener = (change: DeviceChange, device: Device, source: DeviceSource) => void;
/** Must not throw. */
type StatusListener = (device: Device) => void;

/** What is known of a device, whether it is present or away. */
interface Known {
  readonly device: Device;
  readonly tags: readonly string[];
  /** The source that reports it now, or null if it is away. */
  readonly source: DeviceSource | null;
  readonly lastSeenAt: number | null;
}

interface DevicesOptions {
  readonly settings: DeviceSettingStore;
  readonly clock: Clock;
  readonly log: Log;
}

const MOST_DEVICES = 10_000;
const DAY_MS = 24 * 60 * 60 * 1000;
/** A device that is away for longer than this is forgotten, unless an Admin gave it a team or tags. */
const REMEMBERED_MS = 30 * DAY_MS;

/** The devices that this server knows, and which of them are present. Kept in memory, and stored for the next start. */
export class Devices {
  readonly #options: DevicesOptions;
  readonly #known = new Map<string, Known>();
  readonly #held = new Set<string>();
  readonly #reports = new Map<DeviceSource, ReadonlyMap<string, SourceDevice>>();
  readonly #listeners: DeviceListener[] = [];
  readonly #statusListeners: StatusListener[] = [];
  /** Udids remembered from before this start and not reported since. */
  readonly #unseen = new Set<string>();
  #isFull = false;

  constructor(options: DevicesOptions) {
    this.#options = options;
    const rows = options.settings.all();
    for (const { tags, lastSeenAt, ...known } of rows.sort(inOrder)) {
      this.#known.set(known.udid, { device: { ...known, ...NO_STREAMS }, tags, lastSeenAt, source: null });
      this.#unseen.add(known.udid);
    }
  }

  /** Without a source the lab allocates no devices, and drivers pick devices themselves. */
  get isEmpty(): boolean {
    return this.#reports.size === 0;
  }

  /** From now on every session needs a device of the lab, also while the source reports none. */
  expect(source: DeviceSource): void {
    if (!this.#reports.has(source)) this.#reports.set(source, new Map());
  }

  onChange(listener: DeviceListener): void {
    this.#listeners.push(listener);
  }

  /** `listener` is called whenever the status of a device changes, after the listeners of `onChange`. */
  onStatus(listener: StatusListener): void {
    this.#statusListeners.push(listener);
  }

  /**
   * Takes over all devices that `source` has now. A device of two sources belongs to the one that was expected first.
   */
  report(source: DeviceSource, devices: readonly SourceDevice[]): void {
    this.expect(source);
    const before = this.#reports.get(source) as ReadonlyMap<string, SourceDevice>;
    const usable = devices.slice(0, MOST_DEVICES).flatMap((device) => usableDevice(device) ?? []);
    const now = new Map(usable.map((device) => [device.udid, device]));
    this.#reports.set(source, now);
    const changes = [...new Set([...before.keys(), ...now.keys()])].flatMap(
      (udid) => this.#update(udid) ?? [],
    );
    this.#store(() => {
      const changed = changes.map(({ device }) => this.#settingOf(device.udid));
      if (changed.length > 0) this.#options.settings.save(...changed.filter((row) => row !== undefined));
    });
    for (const { change, device } of changes) {
      if (change !== 'seen') for (const tell of this.#listeners) tell(change, device, source);
      if (change !== 'changed' && change !== 'new') this.#tellStatus(device);
    }
  }

  /** Removes a source. Its devices are away from now on. */
  leave(source: DeviceSource): void {
    this.report(source, []);
    this.#reports.delete(source);
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

  tagsOf(udid: string): readonly string[] {
    return this.#known.get(udid)?.tags ?? [];
  }

  statusOf(udid: string): DeviceStatus {
    if (this.sourceOf(udid) === null) return 'away';
    return this.#held.has(udid) ? 'busy' : 'free';
  }

  /**
   * Changes team or tags of a device. A session that runs on it goes on.
   * @returns the changed device, or undefined if it is unknown
   */
  change(udid: string, change: Partial<Pick<DeviceSetting, 'teamId' | 'tags'>>): Device | undefined {
    const known = this.#known.get(udid);
    const setting = this.#settingOf(udid);
    if (known === undefined || setting === undefined) return undefined;
    this.#options.settings.save({ ...setting, ...change });
    const { teamId = known.device.teamId, tags = known.tags } = change;
    const device = { ...known.device, teamId };
    this.#known.set(udid, { ...known, device, tags });
    return device;
  }

  hold(udid: string): void {
    if (this.#held.has(udid)) return;
    this.#held.add(udid);
    this.#heldOrReleased(udid);
  }

  release(udid: string): void {
    if (this.#held.delete(udid)) this.#heldOrReleased(udid);
  }

  /** The status of a device that is away does not depend on whether a session holds it. */
  #heldOrReleased(udid: string): void {
    const known = this.#known.get(udid);
    if (known !== undefined && known.source !== null) this.#tellStatus(known.device);
  }

  #tellStatus(device: Device): void {
    for (const tell of this.#statusListeners) tell(device);
  }

  /** Forgets devices that the lists no longer contain. Called after the sources have started. */
  forgetUnlisted(): void {
    this.#forget((known) => known.lastSeenAt === null);
  }

  /** Stores which devices are present, and forgets those that were away for long. Called once a day. */
  tidy(): void {
    const now = this.#options.clock.now();
    this.#forget(({ lastSeenAt }) => lastSeenAt !== null && lastSeenAt < now - REMEMBERED_MS);
    const there = [...this.#known].filter(([, { source }]) => source?.comesAndGoes === true);
    for (const [udid, known] of there) this.#known.set(udid, { ...known, lastSeenAt: now });
    this.#store(() => {
      const rows = there.flatMap(([udid]) => this.#settingOf(udid) ?? []);
      if (rows.length > 0) this.#options.settings.save(...rows);
    });
  }

  /**
   * Updates one device from what the sources report.
   * @returns undefined if nothing changed
   */
  #update(udid: string): { change: DeviceChange | 'seen'; device: Device } | undefined {
    const known = this.#known.get(udid);
    const found = [...this.#reports].find(([, devices]) => devices.has(udid));
    const lastSeenAt = this.#options.clock.now();
    if (found === undefined) {
      if (known === undefined || known.source === null) return undefined;
      const device = { ...known.device, ...NO_STREAMS };
      const seen = known.source.comesAndGoes ? lastSeenAt : null;
      this.#known.set(udid, { ...known, device, source: null, lastSeenAt: seen });
      return { change: 'offline', device };
    }
    const [source, devices] = found;
    const device = { ...(devices.get(udid) as SourceDevice), teamId: known?.device.teamId ?? null };
    if (known === undefined && !this.#hasRoom()) return undefined;
    const { tags = [] } = known ?? {};
    this.#known.set(udid, { device, tags, source, lastSeenAt: source.comesAndGoes ? lastSeenAt : null });
    const wasUnseen = this.#unseen.delete(udid);
    if (known === undefined) return { change: 'new', device };
    if (known.source === null) return { change: wasUnseen ? 'seen' : 'online', device };
    return isSame(known.device, device) ? undefined : { change: 'changed', device };
  }

  /** Makes room by forgetting the device that was away for the longest time. */
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

  #forget(isGone: (known: Known, udid: string) => boolean): void {
    const gone = [...this.#known].filter(([udid, known]) => isForgettable(known) && isGone(known, udid));
    if (gone.length === 0) return;
    for (const [udid] of gone) this.#known.delete(udid);
    this.#store(() => this.#options.settings.remove(gone.map(([udid]) => udid)));
  }

  #settingOf(udid: string): DeviceSetting | undefined {
    const known = this.#known.get(udid);
    if (known === undefined) return undefined;
    const { name, platform, osVersion, node, teamId } = known.device;
    const { tags, lastSeenAt } = known;
    return { udid, name, platform, osVersion, node, teamId, tags, lastSeenAt };
  }

  /** If storing fails, the change is kept in memory until the next restart. */
  #store(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#options.log.warn('The list of known devices could not be stored', { cause: String(error) });
    }
  }
}

function isForgettable({ source, device, tags }: Known): boolean {
  return source === null && device.teamId === null && tags.length === 0;
}

function isSame(a: Device, b: Device): boolean {
  return (Object.keys(b) as (keyof Device)[]).every((field) => a[field] === b[field]);
}

const numbersByValue = new Intl.Collator('en', { numeric: true });

function inOrder(a: DeviceSetting, b: DeviceSetting): number {
  return numbersByValue.compare(a.udid, b.udid);
}
