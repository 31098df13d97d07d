/**
 * Why nobody can use a device until somebody helps: the phone does not trust this host, its developer mode is off, or
 * go-ios has no tunnel to it (contract 14.6).
 */
export type DeviceProblem = 'not trusted' | 'developer mode off' | 'no tunnel';

/** A device as its source reports it. The field of a stream that the device does not offer is null. */
export interface SourceDevice {
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
   * Address of the device's WebDriverAgent, without a slash at its end. Absent or null if the lab knows none. Whoever
   * knows this address controls the phone, so it must never be part of a response, an event, a log line or a session
   * record (contract 14.6).
   */
  readonly wdaUrl?: string | null;
  /** Problem of the device, which is then `away`. Absent or null if it has none. */
  readonly problem?: DeviceProblem | null;
}

/** A device of the lab. `teamId` is null for devices of the shared pool (contract 3.5). */
export interface Device extends SourceDevice {
  readonly teamId: string | null;
}

export type DeviceStatus = 'free' | 'busy' | 'away';

/**
 * Stream fields of a device that is away or connected to a node. The hub does not know the stream addresses of a node's
 * devices.
 */
export const NO_STREAMS = { mjpegUrl: null, h264Url: null, logs: null, wdaUrl: null } as const;

const LONGEST_UDID = 256;
const LONGEST_NAME = 128;
const LONGEST_PLATFORM = 64;

/**
 * Checks a device that an untrusted source reported, and shortens its texts to lengths that a list can show.
 * @returns the checked device, or undefined if its udid is empty, too long or contains control characters
 */
export function usableDevice(device: SourceDevice): SourceDevice | undefined {
  const udid = device.udid.trim();
  if (udid === '' || udid.length > LONGEST_UDID || /[\p{Cc}\p{Cs}]/u.test(device.udid)) return undefined;
  return {
    ...device,
    udid,
    name: printable(device.name, LONGEST_NAME) || udid.slice(0, LONGEST_NAME),
    platform: printable(device.platform, LONGEST_PLATFORM),
    osVersion: printable(device.osVersion, LONGEST_PLATFORM),
  };
}

function printable(text: string, longest: number): string {
  return text
    .replace(/[\p{Cc}\p{Cs}]/gu, ' ')
    .trim()
    .slice(0, longest);
}
