/** A device as its source reports it. A stream that the device does not have is null. */
export interface SourceDevice {
  readonly udid: string;
  readonly name: string;
  readonly platform: string;
  readonly osVersion: string;
  /** Name of the node to which it is connected, or null for this server. */
  readonly node: string | null;
  /** MJPEG over HTTP, as seen from this server. */
  readonly mjpegUrl: string | null;
  /** H.264 over a WebSocket, as seen from this server. */
  readonly h264Url: string | null;
  /** The adb server has a log of the device. */
  readonly logs: 'adb' | null;
}

/** A device of the lab. `teamId` is null for devices of the shared pool (contract 3.5). */
export interface Device extends SourceDevice {
  readonly teamId: string | null;
}

export type DeviceStatus = 'free' | 'busy' | 'away';

/** The streams of a device that is away, or that belongs to a node, which itself knows the streams. */
export const NO_STREAMS = { mjpegUrl: null, h264Url: null, logs: null } as const;

const LONGEST_UDID = 256;
const LONGEST_NAME = 128;
const LONGEST_PLATFORM = 64;

/**
 * Checks a device of a source that is not trusted, and cuts its texts to what a list can show.
 * @returns undefined if the device cannot be used
 */
export function usableDevice(device: SourceDevice): SourceDevice | undefined {
  const { udid } = device;
  if (udid === '' || udid.length > LONGEST_UDID || /[\p{Cc}\p{Cs}]/u.test(udid)) return undefined;
  return {
    ...device,
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
