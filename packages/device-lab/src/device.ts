/** A device in the form in which its source reports it. A stream that the device does not have is null. */
export interface SourceDevice {
  readonly udid: string;
  readonly name: string;
  readonly platform: string;
  readonly osVersion: string;
  /** Name of the node to which the device is connected, or null for this server. */
  readonly node: string | null;
  /** Address of the MJPEG stream over HTTP that this server can reach, or null if there is none. */
  readonly mjpegUrl: string | null;
  /** Address of the H.264 stream over a WebSocket that this server can reach, or null if there is none. */
  readonly h264Url: string | null;
  /** Source of the device log: `adb` if the adb server has one, otherwise null. */
  readonly logs: 'adb' | null;
}

/** A device of the lab. `teamId` is null for devices of the shared pool (contract 3.5). */
export interface Device extends SourceDevice {
  readonly teamId: string | null;
}

export type DeviceStatus = 'free' | 'busy' | 'away';

/**
 * Stream fields of a device that is away, or that belongs to a node. They are null for a node's device because only the
 * node knows its streams.
 */
export const NO_STREAMS = { mjpegUrl: null, h264Url: null, logs: null } as const;

const LONGEST_UDID = 256;
const LONGEST_NAME = 128;
const LONGEST_PLATFORM = 64;

/**
 * Checks a device that an untrusted source reported, and shortens its texts to lengths that a list can show.
 * @returns the checked device, or undefined if its udid cannot be used
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
