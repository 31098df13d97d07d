import type { DeviceSetting, DeviceSettingStore } from './device-settings.ts';

/** Where log lines of a device come from: its adb server, or the lab that invented it. */
export type LogSource = 'adb' | 'virtual';

/** A device as its source reports it. A source that the device has not got is null. */
export interface SourceDevice {
  readonly udid: string;
  readonly name: string;
  readonly platform: string;
  readonly osVersion: string;
  /** Name of the node it is plugged into; null: this server. */
  readonly node: string | null;
  /** MJPEG over HTTP, as seen from this server. A virtual device has none: its preview is drawn here. */
  readonly mjpegUrl: string | null;
  /** H.264 over a WebSocket, as seen from this server. */
  readonly h264Url: string | null;
  readonly logs: LogSource | null;
}

/** A device of the lab. `teamId` null: the shared pool (contract 3.5). */
export interface Device extends SourceDevice {
  readonly teamId: string | null;
}

export type DeviceStatus = 'free' | 'busy' | 'away';

/** What a session requires of its device. */
export interface DeviceRequest {
  /** One device by name; null: any. */
  readonly udid: string | null;
  /** `platformName`, any letter case; null: any. */
  readonly platform: string | null;
  /** Only devices of this team; null: any the caller may see. */
  readonly teamId: string | null;
  /** Whether the caller may see devices of a team, or of the shared pool (null). */
  readonly maySee: (teamId: string | null) => boolean;
}

/** Why no device was allocated; the message is for the client. */
export class NoMatchingDevice extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'NoMatchingDevice';
  }
}

const NO_SOURCES = { node: null, mjpegUrl: null, h264Url: null, logs: null };

/** The devices of this server and which session holds which, from the start of the session to its end. */
export class Devices {
  readonly #settings: DeviceSettingStore;
  readonly #devices = new Map<string, Device>();
  readonly #present = new Set<string>();
  readonly #held = new Set<string>();
  readonly #tags = new Map<string, readonly string[]>();

  /** `devices` are connected now; those with settings of an Admin stay known while they are away. */
  constructor(devices: Iterable<Device>, settings: DeviceSettingStore) {
    this.#settings = settings;
    for (const device of devices) {
      this.#devices.set(device.udid, device);
      this.#present.add(device.udid);
    }
    for (const { tags, ...known } of settings.all()) {
      const present = this.#devices.get(known.udid);
      const device = present ?? { ...known, ...NO_SOURCES };
      this.#devices.set(known.udid, { ...device, teamId: known.teamId });
      this.#tags.set(known.udid, tags);
    }
  }

  /** Without an inventory the lab allocates no devices; sessions run unmanaged. */
  get isEmpty(): boolean {
    return this.#present.size === 0;
  }

  list(): Device[] {
    return [...this.#devices.values()];
  }

  byUdid(udid: string): Device | undefined {
    return this.#devices.get(udid);
  }

  tagsOf(udid: string): readonly string[] {
    return this.#tags.get(udid) ?? [];
  }

  /** Undefined: no such device. A session that runs on it goes on. */
  change(udid: string, change: Partial<Pick<DeviceSetting, 'teamId' | 'tags'>>): Device | undefined {
    const device = this.#devices.get(udid);
    if (device === undefined) return undefined;
    const setting = { ...device, tags: this.tagsOf(udid), ...change };
    this.#settings.save(setting);
    const { tags, ...changed } = setting;
    this.#devices.set(udid, changed);
    this.#tags.set(udid, tags);
    return changed;
  }

  statusOf(udid: string): DeviceStatus {
    if (!this.#present.has(udid)) return 'away';
    return this.#held.has(udid) ? 'busy' : 'free';
  }

  /** Holds a free device that fits, or throws `NoMatchingDevice`, with one message for hidden and unknown devices. */
  hold(input: DeviceRequest): Device {
    const fitting = this.list().filter((device) => this.#present.has(device.udid) && fits(device, input));
    if (fitting.length === 0) throw new NoMatchingDevice(noneFits(input));
    const free = fitting.find((device) => !this.#held.has(device.udid));
    if (free === undefined)
      throw new NoMatchingDevice(input.udid === null ? 'every phone that fits is busy' : 'the phone is busy');
    this.#held.add(free.udid);
    return free;
  }

  release(udid: string): void {
    this.#held.delete(udid);
  }
}

function fits(device: Device, input: DeviceRequest): boolean {
  if (input.udid !== null && device.udid !== input.udid) return false;
  if (input.platform !== null && device.platform.toLowerCase() !== input.platform.toLowerCase()) return false;
  if (input.teamId !== null && device.teamId !== input.teamId) return false;
  return input.maySee(device.teamId);
}

function noneFits(input: DeviceRequest): string {
  return input.udid === null ? 'no phone of this lab fits the capabilities' : 'this lab has no such phone';
}

/** Devices of a lab without real ones (contract 9). */
export function virtualDeviceFarm(count: number, prefix: string): Device[] {
  return Array.from({ length: count }, (_, index) => ({
    udid: `${prefix}-${index + 1}`,
    name: `Virtual phone ${index + 1}`,
    platform: 'Fake',
    osVersion: '1.0',
    teamId: null,
    node: null,
    mjpegUrl: null,
    h264Url: null,
    logs: 'virtual' as const,
  }));
}
