import type { Device } from './device.ts';
import type { Devices } from './devices.ts';
import { type Claim, NO_CLAIMS } from './leases/lease.ts';
import { leastLoaded } from './least-loaded.ts';

/** What a session requires of its device. */
export interface DeviceRequest {
  /** A certain device, or null for any. */
  readonly udid: string | null;
  /** `platformName` in any letter case, or null for any platform. */
  readonly platform: string | null;
  /** Only devices of this team. If null, any that the caller may see. */
  readonly teamId: string | null;
  /** Whether the caller may see devices of a team, or of the shared pool (null). */
  readonly maySee: (teamId: string | null) => boolean;
  /** Only devices of this server, because the session is started here. */
  readonly here?: boolean;
  /** Whose lease a device has, from the view of the caller. Without it, no device is leased. */
  readonly claimOn?: (udid: string) => Claim;
}

/**
 * The device of the lease that the create names, then one that the caller has leased, then one without lease (contract
 * 2).
 */
const PRECEDENCE: readonly Claim[] = ['brought', 'own', 'none'];

/** No device was allocated. The message is sent to the client. */
export class NoMatchingDevice extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'NoMatchingDevice';
  }
}

/**
 * Reserves a free device that fits.
 * @throws NoMatchingDevice with the same message for hidden and for unknown devices
 */
export function allocateDevice(devices: Devices, request: DeviceRequest): Device {
  const fitting = devices
    .list()
    .filter((device) => devices.statusOf(device.udid) !== 'away' && fits(device, request));
  if (fitting.length === 0) throw new NoMatchingDevice(noneFits(request));
  const { claimOn = NO_CLAIMS } = request;
  const free = fitting
    .filter(({ udid }) => devices.statusOf(udid) === 'free')
    .map((device) => ({ device, claim: claimOn(device.udid) }));
  const claim = PRECEDENCE.find((each) => free.some((one) => one.claim === each));
  const found = leastLoaded(
    free.filter((each) => each.claim === claim).map(({ device }) => device),
    devices,
  );
  // A device that someone else has leased is reported as busy, also to override admins.
  if (claim === undefined || found === undefined) {
    const message = request.udid === null ? 'every phone that fits is busy' : 'the phone is busy';
    throw new NoMatchingDevice(message);
  }
  devices.hold(found.udid);
  return found;
}

function fits(device: Device, { udid, platform, teamId, maySee, here }: DeviceRequest): boolean {
  if (here && device.node !== null) return false;
  if (udid !== null && device.udid !== udid) return false;
  if (platform !== null && device.platform.toLowerCase() !== platform.toLowerCase()) return false;
  if (teamId !== null && device.teamId !== teamId) return false;
  return maySee(device.teamId);
}

function noneFits({ udid }: DeviceRequest): string {
  return udid === null ? 'no phone of this lab fits the capabilities' : 'this lab has no such phone';
}
