import type { Clock, Log } from '@svc/auth-core';
import {
  type Device,
  type DeviceFacts,
  type DeviceStatus,
  NO_FACTS,
  NO_STREAMS,
  type SourceDevice,
  usableDevice,
} from './device.ts';
import type { DeviceSetting, DeviceSettingStore } from './device-settings.ts';
import type { DeviceSource } from './sources/device-source.ts';

/**
 * What happened to a device: `new` (seen for the first time), `online` (it came back), `offline` (it left) or `changed`
 * (its description, team or tags changed).
 */
export type DeviceChange = 'new' | 'online' | 'offline' | 'changed';

/** Listener for changes of devices. Must not throw, because its errors are not caught. */
type DeviceListener = (change: DeviceChange, device: Device, source: DeviceSource) => void;
/** Listener for changes of the status of a device. Must not throw, because its errors are not caught. */
type StatusListener = (device: Device) => void;

/** A device that still has what its last holder left on it (contract 17.3). */
export interface Uncleaned {
  /** Account whose things are on the device, or null if no account may continue with them. */
  readonly holderId: string | null;
  /**
   * `reading` until it is known what is on the device. `leased` while its holder has the device, so that leases decide
   * who may use it. `waiting` for the holder's next session, or for its cleaning. `cleaning` while it is being cleaned.
   * `failed` if it could not be cleaned.
   */
  readonly state: 'reading' | 'leased' | 'waiting' | 'cleaning' | 'failed';
}

/** Data about one device, which is kept while the device is present and while it is away. */
interface Known {
  readonly device: Device;
  readonly tags: readonly string[];
  /** Name that the source reports. The name of `device` may be one that an Admin gave. */
  readonly reportedName: string;
  readonly givenName: string | null;
  readonly note: string | null;
  /** Source that reports the device now, or null if the device is away. */
  readonly source: DeviceSource | null;
  readonly lastSeenAt: number | null;
}

/** A session that is starting on a device, and since when (ms since 1970). */
export interface StartingSession {
  /** Id of the account that will own the session, or null if it will have no owner. */
  readonly ownerId: string | null;
  readonly since: number;
}

/** What an Admin may change of a device. */
export type DeviceChangeByAdmin = Partial<Pick<DeviceSetting, 'teamId' | 'tags' | 'givenName' | 'note'>>;

const NOTHING_GIVEN = { tags: [], givenName: null, note: null } as const;

type ReportedDevice = SourceDevice & DeviceFacts;

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
 * The devices of the lab, including devices that are away. They are kept in memory, and stored so that they are still
 * listed after a restart.
 */
export class Devices {
  readonly #options: DevicesOptions;
  readonly #known = new Map<string, Known>();
  readonly #held = new Set<string>();
  /** Devices that are out of service. They count as busy for every request that wants a device (contract 17.1). */
  readonly #blocked = new Set<string>();
  /** Devices that their nodes have put out of service. */
  readonly #blockedAtNode = new Set<string>();
  /** Devices that another server holds, which shares the adb server. */
  readonly #elsewhere = new Set<string>();
  readonly #starting = new Map<string, StartingSession>();
  readonly #uncleaned = new Map<string, Uncleaned>();
  readonly #uncleanedListeners: StatusListener[] = [];
  /** Devices in the state `waiting` that someone else than their holder has requested since. */
  readonly #wanted = new Set<string>();
  /** For each device that is present and free, the time (ms since 1970) since which it has been idle. */
  readonly #idleSince = new Map<string, number>();
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
    const rows = options.settings.all();
    for (const { tags, lastSeenAt, givenName, note, ...known } of rows.sort(inOrder)) {
      this.#known.set(known.udid, {
        device: { ...NO_FACTS, ...known, name: givenName ?? known.name, ...NO_STREAMS },
        ...{ tags, givenName, note, reportedName: known.name },
        lastSeenAt,
        source: null,
      });
      this.#unseen.add(known.udid);
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
      const changed = changes.map(({ device }) => this.#settingOf(device.udid));
      if (changed.length > 0) this.#options.settings.save(...changed.filter((row) => row !== undefined));
    });
    for (const { change, device } of changes) {
      if (change !== 'seen') for (const tell of this.#listeners) tell(change, device, source);
      if (change !== 'changed' && change !== 'new') this.#tellStatus(device);
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

  /** @returns the time (ms since 1970) since which a device has been free, or null if it is not free */
  idleSinceOf(udid: string): number | null {
    return this.statusOf(udid) === 'free' ? (this.#idleSince.get(udid) ?? null) : null;
  }

  statusOf(udid: string): DeviceStatus {
    if (this.sourceOf(udid) === null) return 'away';
    if (this.#held.has(udid) || this.#elsewhere.has(udid)) return 'busy';
    return this.isBeingCleaned(udid) ? 'busy' : 'free';
  }

  /** @returns whether this server holds the device for a session */
  isHeld(udid: string): boolean {
    return this.#held.has(udid);
  }

  /** @returns whether another server that shares the adb server holds the device */
  isElsewhere(udid: string): boolean {
    return this.#elsewhere.has(udid);
  }

  /** Records whether another server that shares the adb server holds the device (contract 14.8). */
  markElsewhere(udid: string, isElsewhere: boolean): void {
    if (this.#elsewhere.has(udid) === isElsewhere) return;
    if (isElsewhere) this.#elsewhere.add(udid);
    else {
      this.#elsewhere.delete(udid);
      this.#idleSince.set(udid, this.#options.clock.now());
    }
    if (!this.#held.has(udid)) this.#heldOrReleased(udid);
  }

  /**
   * @param ownerId account that wants the device, or null if it is not known. Only the last holder of a device that is
   * not clean yet may take it.
   * @returns the status for a request that wants the device: a device that is out of service counts as busy
   */
  availabilityOf(udid: string, ownerId: string | null = null): DeviceStatus {
    const uncleaned = this.#uncleaned.get(udid);
    if (uncleaned === undefined || uncleaned.state === 'leased' || uncleaned.state === 'reading') {
      const status = this.statusOf(udid);
      return status === 'free' && this.isBlocked(udid) ? 'busy' : status;
    }
    if (this.sourceOf(udid) === null) return 'away';
    const isInUse = this.#held.has(udid) || this.#elsewhere.has(udid) || this.isBlocked(udid);
    const isOwn = ownerId !== null && uncleaned.holderId === ownerId && uncleaned.state === 'waiting';
    return isOwn && !isInUse ? 'free' : 'busy';
  }

  /** Returns what is known about a device that is not clean, or undefined if it is clean. */
  uncleanedOf(udid: string): Uncleaned | undefined {
    return this.#uncleaned.get(udid);
  }

  /** Adds a listener that is called whenever it changes whether a device is clean. It must not throw. */
  onUncleaned(listener: StatusListener): void {
    this.#uncleanedListeners.push(listener);
  }

  /** Whether no one has the device, and it waits for its cleaning or is being cleaned. */
  isBeingCleaned(udid: string): boolean {
    const state = this.#uncleaned.get(udid)?.state;
    return !this.#held.has(udid) && (state === 'waiting' || state === 'cleaning');
  }

  /** Whether what is on the device is being read, so that what its holder installs would not be removed later. */
  isBeingRead(udid: string): boolean {
    return this.#uncleaned.get(udid)?.state === 'reading';
  }

  /** Keeps a device for its last holder until it is clean, or, with null, frees it for everyone. */
  setUncleaned(udid: string, uncleaned: Uncleaned | null): void {
    const before = this.statusOf(udid);
    if (uncleaned === null) this.#uncleaned.delete(udid);
    else this.#uncleaned.set(udid, uncleaned);
    this.#wanted.delete(udid);
    const device = this.byUdid(udid);
    if (device !== undefined) for (const tell of this.#uncleanedListeners) tell(device);
    if (this.statusOf(udid) === before && uncleaned !== null) return;
    if (before === 'busy' && this.statusOf(udid) === 'free')
      this.#idleSince.set(udid, this.#options.clock.now());
    this.#heldOrReleased(udid);
  }

  /** Notes that a request fits a device which is kept for its last holder, so that it is cleaned without delay. */
  want(udid: string): void {
    if (this.#uncleaned.get(udid)?.state === 'waiting') this.#wanted.add(udid);
  }

  isWanted(udid: string): boolean {
    return this.#wanted.has(udid);
  }

  isBlocked(udid: string): boolean {
    return this.#blocked.has(udid) || this.#blockedAtNode.has(udid);
  }

  /** Keeps a device from new sessions and leases. A session that runs on it goes on. */
  block(udid: string): void {
    this.#blocked.add(udid);
  }

  unblock(udid: string): void {
    this.#blocked.delete(udid);
  }

  /** Blocks a device because its node has put it out of service, or ends that. Independent of `block`. */
  blockAtNode(udid: string, isBlocked: boolean): void {
    if (isBlocked) this.#blockedAtNode.add(udid);
    else this.#blockedAtNode.delete(udid);
  }

  /**
   * Changes the team, the tags, the name or the note of a device. A session that runs on the device continues.
   * @param change with `givenName` null, the device gets back the name that its source reports
   * @returns the changed device, or undefined if it is unknown
   */
  change(udid: string, change: DeviceChangeByAdmin): Device | undefined {
    const known = this.#known.get(udid);
    const setting = this.#settingOf(udid);
    if (known === undefined || setting === undefined) return undefined;
    this.#options.settings.save({ ...setting, ...change });
    const { teamId = known.device.teamId, tags = known.tags, note = known.note } = change;
    const { givenName = known.givenName } = change;
    const device = { ...known.device, teamId, name: givenName ?? known.reportedName };
    this.#remember(udid, { ...known, device, tags, givenName, note });
    return device;
  }

  /**
   * Makes a device busy.
   * @param ownerId if the device is held for a session that is starting, id of the account that will own the session,
   * or null if it will have no owner
   */
  hold(udid: string, ownerId?: string | null): void {
    if (this.#held.has(udid)) return;
    this.#held.add(udid);
    if (ownerId !== undefined) this.#starting.set(udid, { ownerId, since: this.#options.clock.now() });
    this.#heldOrReleased(udid);
  }

  /** Records that the session for which a device was held has started. The device stays busy. */
  started(udid: string): void {
    this.#starting.delete(udid);
  }

  /** @returns the session that is starting on a device, or null if there is none */
  startingOn(udid: string): StartingSession | null {
    return this.#starting.get(udid) ?? null;
  }

  release(udid: string): void {
    if (!this.#held.delete(udid)) return;
    this.#starting.delete(udid);
    this.#idleSince.set(udid, this.#options.clock.now());
    this.#heldOrReleased(udid);
  }

  /**
   * Publishes the new status after a device was reserved or released. A device that is away is skipped, because its
   * status stays `away`.
   */
  #heldOrReleased(udid: string): void {
    const known = this.#known.get(udid);
    if (known !== undefined && known.source !== null) this.#tellStatus(known.device);
  }

  #tellStatus(device: Device): void {
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
    const now = this.#options.clock.now();
    this.#forget(({ lastSeenAt }) => lastSeenAt !== null && lastSeenAt < now - REMEMBERED_MS);
    const there = [...this.#known].filter(([, { source }]) => source?.comesAndGoes === true);
    for (const [udid, known] of there) this.#remember(udid, { ...known, lastSeenAt: now });
    this.#store(() => {
      const rows = there.flatMap(([udid]) => this.#settingOf(udid) ?? []);
      if (rows.length > 0) this.#options.settings.save(...rows);
    });
  }

  /**
   * Recomputes one device from the latest reports of all sources.
   * @returns the change and the device, or undefined if nothing changed
   */
  #update(udid: string): { change: DeviceChange | 'seen'; device: Device } | undefined {
    const known = this.#known.get(udid);
    const found = [...this.#reports].find(([, devices]) => devices.has(udid));
    const lastSeenAt = this.#options.clock.now();
    if (found === undefined) {
      if (known === undefined) return undefined;
      if (known.source === null) return this.#forgetProblem(known);
      const device = { ...known.device, ...NO_STREAMS };
      const seen = known.source.comesAndGoes ? lastSeenAt : null;
      this.#remember(udid, { ...known, device, source: null, lastSeenAt: seen });
      return { change: 'offline', device };
    }
    const [source, devices] = found;
    const reported = devices.get(udid) as ReportedDevice;
    const { tags, givenName, note } = known ?? NOTHING_GIVEN;
    const teamId = known?.device.teamId ?? null;
    const device = { ...reported, name: givenName ?? reported.name, teamId };
    if (known === undefined && !this.#hasRoom()) return undefined;
    if ((device.problem ?? null) !== null)
      return this.#updateUnusable(known, source, { ...device, name: reported.name });
    const given = { tags, givenName, note, reportedName: reported.name };
    this.#remember(udid, { device, ...given, source, lastSeenAt: source.comesAndGoes ? lastSeenAt : null });
    if (known?.source == null) this.#idleSince.set(udid, lastSeenAt);
    const wasUnseen = this.#unseen.delete(udid);
    if (known === undefined) return { change: 'new', device };
    if (known.source === null) return { change: wasUnseen ? 'seen' : 'online', device };
    return isSame(known.device, device) ? undefined : { change: 'changed', device };
  }

  /** Keeps a device that has a problem as away, so that no session can start on it. */
  #updateUnusable(
    known: Known | undefined,
    source: DeviceSource,
    reported: Device,
  ): { change: DeviceChange; device: Device } | undefined {
    // A phone whose details cannot be read is reported with its udid as its name. Keep what was known before.
    const isBare = reported.name === reported.udid && known !== undefined;
    const reportedName = isBare ? known.reportedName : reported.name;
    const osVersion = isBare ? known.device.osVersion : reported.osVersion;
    const { tags, givenName, note } = known ?? NOTHING_GIVEN;
    const device = { ...reported, name: givenName ?? reportedName, osVersion, ...NO_STREAMS };
    const lastSeenAt = source.comesAndGoes ? this.#options.clock.now() : null;
    this.#remember(device.udid, { device, tags, givenName, note, reportedName, source: null, lastSeenAt });
    this.#unseen.delete(device.udid);
    if (known === undefined) return { change: 'new', device };
    if (known.source !== null) return { change: 'offline', device };
    return isSame(known.device, device) ? undefined : { change: 'changed', device };
  }

  /** Removes the problem of a device that is no longer reported. */
  #forgetProblem(known: Known): { change: DeviceChange; device: Device } | undefined {
    if ((known.device.problem ?? null) === null) return undefined;
    const device = { ...known.device, problem: null };
    this.#remember(device.udid, { ...known, device });
    return { change: 'changed', device };
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

  #remember(udid: string, known: Known): void {
    this.#known.set(udid, known);
    this.#revision += 1;
  }

  #forget(isGone: (known: Known, udid: string) => boolean): void {
    const gone = [...this.#known].filter(([udid, known]) => isForgettable(known) && isGone(known, udid));
    if (gone.length === 0) return;
    for (const [udid] of gone) {
      this.#known.delete(udid);
      this.#revision += 1;
      this.#idleSince.delete(udid);
    }
    this.#store(() => this.#options.settings.remove(gone.map(([udid]) => udid)));
  }

  #settingOf(udid: string): DeviceSetting | undefined {
    const known = this.#known.get(udid);
    if (known === undefined) return undefined;
    const { platform, osVersion, node, teamId } = known.device;
    const { tags, lastSeenAt, reportedName: name, givenName, note } = known;
    return { udid, name, platform, osVersion, node, teamId, tags, givenName, note, lastSeenAt };
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

function isForgettable({ source, device, tags, givenName, note }: Known): boolean {
  const isPlain = device.teamId === null && tags.length === 0 && givenName === null && note === null;
  return source === null && isPlain;
}

function isSame(a: Device, b: Device): boolean {
  return (Object.keys(b) as (keyof Device)[]).every(
    (field) => a[field] === b[field] || (field === 'sourceTags' && isSameList(a.sourceTags, b.sourceTags)),
  );
}

function isSameList(a: readonly string[] = [], b: readonly string[] = []): boolean {
  return a.length === b.length && a.every((item, at) => item === b[at]);
}

const numbersByValue = new Intl.Collator('en', { numeric: true });

function inOrder(a: DeviceSetting, b: DeviceSetting): number {
  return numbersByValue.compare(a.udid, b.udid);
}
