import type { DeviceKind } from '@svc/contract';

/**
 * Why a device cannot be used until somebody helps: the phone does not trust this host, its developer mode is off, or
 * go-ios has no tunnel to it (contract 14.6).
 */
export type DeviceProblem = 'not trusted' | 'developer mode off' | 'no tunnel';

/** Facts about a device by which a session can choose it (contract 14.3). A fact that is not known is null. */
export interface DeviceFacts {
  readonly model: string | null;
  readonly manufacturer: string | null;
  /** API level of Android. */
  readonly apiLevel: number | null;
  readonly kind: DeviceKind | null;
  /** Name of the Android virtual device that an emulator runs. */
  readonly avd: string | null;
}

/** A device as its source reports it. The field of a stream that the device does not offer is null. */
export interface SourceDevice extends Partial<DeviceFacts> {
  readonly udid: string;
  readonly name: string;
  readonly platform: string;
  readonly osVersion: string;
  /** Name of the node to which the device is connected, or null for this server. */
  readonly node: string | null;
  /** Address of the device's MJPEG stream over HTTP, or null if this server can reach no such stream. */
  readonly mjpegUrl: string | null;
  /** Address of the device's H.264 stream over a WebSocket, or null if this server can reach no such stream. */
  readonly h264Url: string | null;
  /** `adb` if the adb server provides the device's log, or null if the log cannot be read. */
  readonly logs: 'adb' | null;
  /**
   * Address of the device's WebDriverAgent, without a slash at its end. Absent or null if the lab knows none. A client
   * that knows this address controls the phone, so it must never be part of a response, an event, a log line or a
   * session record (contract 14.6).
   */
  readonly wdaUrl?: string | null;
  /** Problem of the device, which is then `away`. Absent or null if it has none. */
  readonly problem?: DeviceProblem | null;
  /** Tags that the source gives the device, in addition to those that an Admin sets. */
  readonly sourceTags?: readonly string[];
}

/** A device of the lab. `teamId` is null for devices of the shared pool (contract 3.5). */
export interface Device extends Omit<SourceDevice, keyof DeviceFacts>, DeviceFacts {
  readonly teamId: string | null;
}

export type DeviceStatus = 'free' | 'busy' | 'away';

/**
 * Stream fields of a device that is away or connected to a node. The hub does not know the stream addresses of a node's
 * devices.
 */
export const NO_STREAMS = { mjpegUrl: null, h264Url: null, logs: null, wdaUrl: null } as const;

export const NO_FACTS: DeviceFacts = {
  model: null,
  manufacturer: null,
  apiLevel: null,
  kind: null,
  avd: null,
};

const LONGEST_UDID = 256;
const LONGEST_NAME = 128;
const LONGEST_PLATFORM = 64;
const LONGEST_TAG = 64;
const MOST_TAGS = 50;

/**
 * Checks a device that an untrusted source reported, and shortens its texts to lengths that a list can show.
 * @returns the checked device, or undefined if its udid is empty, too long or contains control characters
 */
export function usableDevice(device: SourceDevice): (SourceDevice & DeviceFacts) | undefined {
  const udid = device.udid.trim();
  if (udid === '' || udid.length > LONGEST_UDID || /[\p{Cc}\p{Cs}]/u.test(device.udid)) return undefined;
  return {
    ...device,
    udid,
    name: printable(device.name, LONGEST_NAME) || udid.slice(0, LONGEST_NAME),
    platform: printable(device.platform, LONGEST_PLATFORM),
    osVersion: printable(device.osVersion, LONGEST_PLATFORM),
    ...factsOf(device),
    ...tagsOf(device),
  };
}

function factsOf({ model, manufacturer, apiLevel, kind, avd }: SourceDevice): DeviceFacts {
  const text = (fact: string | null | undefined) => printable(fact ?? '', LONGEST_NAME) || null;
  return {
    model: text(model),
    manufacturer: text(manufacturer),
    apiLevel: Number.isSafeInteger(apiLevel) ? (apiLevel as number) : null,
    kind: kind ?? null,
    avd: text(avd),
  };
}

function tagsOf({ sourceTags = [] }: SourceDevice): Pick<SourceDevice, 'sourceTags'> {
  const tags = sourceTags.map((tag) => printable(tag, LONGEST_TAG)).filter((tag) => tag !== '');
  return tags.length === 0 ? { sourceTags: [] } : { sourceTags: [...new Set(tags)].slice(0, MOST_TAGS) };
}

function printable(text: string, longest: number): string {
  return text
    .replace(/[\p{Cc}\p{Cs}]/gu, ' ')
    .trim()
    .slice(0, longest);
}

/** Why a phone is out of service, with the account that put it out, or null if the lab or its node did. */
export interface OutOfServiceView {
  readonly reason: string;
  readonly by: { readonly id: string; readonly email: string } | null;
  readonly since: number;
  readonly until: number | null;
}
