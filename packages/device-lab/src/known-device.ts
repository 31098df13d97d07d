import { type Device, type DeviceFacts, NO_FACTS, NO_STREAMS, type SourceDevice } from './device.ts';
import type { DeviceSetting } from './device-settings.ts';
import type { DeviceSource } from './sources/device-source.ts';

/**
 * What happened to a device: `new` (seen for the first time), `online` (it came back), `offline` (it left) or `changed`
 * (its description, team or tags changed).
 */
export type DeviceChange = 'new' | 'online' | 'offline' | 'changed';

export type ReportedDevice = SourceDevice & DeviceFacts;

/** Data about one device, which is kept while the device is present and while it is away. */
export interface KnownDevice {
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

/** What is known about a device after a report. `change` is null if nothing changed. */
interface Update {
  readonly known: KnownDevice;
  readonly change: DeviceChange | null;
}

const NOTHING_GIVEN = { tags: [], givenName: null, note: null } as const;

/** @returns a device that was stored before the start of the server, and is away until a source reports it */
export function storedDevice({ tags, lastSeenAt, givenName, note, ...facts }: DeviceSetting): KnownDevice {
  const device = { ...NO_FACTS, ...facts, name: givenName ?? facts.name, ...NO_STREAMS };
  return { device, tags, givenName, note, reportedName: facts.name, lastSeenAt, source: null };
}

export function settingOf({
  device,
  tags,
  lastSeenAt,
  reportedName: name,
  givenName,
  note,
}: KnownDevice): DeviceSetting {
  const { udid, platform, osVersion, node, teamId } = device;
  return { udid, name, platform, osVersion, node, teamId, tags, givenName, note, lastSeenAt };
}

/**
 * Returns what is known about a device that a source reports. A device that has a problem is kept as away, so that no
 * session can start on it.
 */
export function reportedBy(
  source: DeviceSource,
  found: ReportedDevice,
  known: KnownDevice | undefined,
  now: number,
): Update {
  const { tags, givenName, note } = known ?? NOTHING_GIVEN;
  const hasProblem = (found.problem ?? null) !== null;
  // A phone whose details cannot be read is reported with its udid as its name. Keep what was known before.
  const isBare = hasProblem && found.name === found.udid && known !== undefined;
  const reportedName = isBare ? known.reportedName : found.name;
  const device: Device = {
    ...found,
    name: givenName ?? reportedName,
    osVersion: isBare ? known.device.osVersion : found.osVersion,
    teamId: known?.device.teamId ?? null,
    ...(hasProblem ? NO_STREAMS : {}),
  };
  const lastSeenAt = source.comesAndGoes ? now : null;
  const given = { tags, givenName, note, reportedName };
  const next = { device, ...given, source: hasProblem ? null : source, lastSeenAt };
  if (known === undefined) return { known: next, change: 'new' };
  if (hasProblem !== (known.source === null))
    return { known: next, change: hasProblem ? 'offline' : 'online' };
  return { known: next, change: isSame(known.device, device) ? null : 'changed' };
}

/** Returns what is known about a device that no source reports, or undefined if that stays the same. */
export function reportedByNone(known: KnownDevice, now: number): Update | undefined {
  const { device, source } = known;
  if (source !== null) {
    const lastSeenAt = source.comesAndGoes ? now : null;
    const away = { ...known, device: { ...device, ...NO_STREAMS }, source: null, lastSeenAt };
    return { known: away, change: 'offline' };
  }
  // Remove the problem of a device that is no longer reported.
  if ((device.problem ?? null) === null) return undefined;
  return { known: { ...known, device: { ...device, problem: null } }, change: 'changed' };
}

/** @returns whether a device that is away can be removed, because no Admin has changed it */
export function isForgettable({ source, device, tags, givenName, note }: KnownDevice): boolean {
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
