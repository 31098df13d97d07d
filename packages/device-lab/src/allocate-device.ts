import type { Device } from './device.ts';
import type { Devices } from './devices.ts';
import { type Claim, NO_CLAIMS } from './leases/lease.ts';
import { leastLoaded } from './least-loaded.ts';

/** Family of Apple devices. A device belongs to the family that its name contains, in any letter case. */
export type DeviceFamily = 'iPhone' | 'iPad';

/** Requirements of a session for its device. */
export interface DeviceRequest {
  /** Udid of the required device, or null if any device may be used. */
  readonly udid: string | null;
  /** Required `platformName` in any letter case, or null if any platform may be used. */
  readonly platform: string | null;
  /**
   * Families of Apple devices. The name of the device must contain each of them. If absent or empty, the family does
   * not matter.
   */
  readonly families?: readonly DeviceFamily[];
  /** Id of the team to which the device must belong, or null for any device that the caller is allowed to see. */
  readonly teamId: string | null;
  /** Returns whether the caller may see the devices of a team, or of the shared pool if `teamId` is null. */
  readonly maySee: (teamId: string | null) => boolean;
  /** True if the session must be started on this server, so that devices of nodes do not fit. */
  readonly here?: boolean;
  /** Returns the relation of the caller to the lease of a device (see `Claim`). If absent, no device is leased. */
  readonly claimOn?: (udid: string) => Claim;
}

/**
 * Order in which devices are preferred: first the device of the lease that the create-session request names, then a
 * device that the caller has leased, then a device without a lease (contract 2).
 */
const PRECEDENCE: readonly Claim[] = ['brought', 'own', 'none'];

/**
 * Reason why no device could be allocated: all matching devices are in use or leased (`busy`), no matching device is
 * connected to the lab now (`away`), or no matching device is known (`none`).
 */
type NoMatch = 'busy' | 'away' | 'none';

/** Thrown if no device could be allocated. The message is sent to the client. */
export class NoMatchingDevice extends Error {
  readonly why: NoMatch;

  constructor(message: string, why: NoMatch = 'none') {
    super(message);
    this.name = 'NoMatchingDevice';
    this.why = why;
  }
}

/**
 * Reserves a free device that fits the request.
 * @throws NoMatchingDevice if there is none, with the same message for hidden and for unknown devices, so that a client
 * cannot find out which devices exist
 */
export function allocateDevice(devices: Devices, request: DeviceRequest): Device {
  const known = devices.list().filter((device) => fits(device, request));
  const fitting = known.filter(({ udid }) => devices.statusOf(udid) !== 'away');
  if (fitting.length === 0)
    throw new NoMatchingDevice(noneFits(request), known.length === 0 ? 'none' : 'away');
  const { claimOn = NO_CLAIMS } = request;
  const free = fitting
    .filter(({ udid }) => devices.statusOf(udid) === 'free')
    .map((device) => ({ device, claim: claimOn(device.udid) }));
  const claim = PRECEDENCE.find((each) => free.some((one) => one.claim === each));
  const found = leastLoaded(
    free.filter((each) => each.claim === claim).map(({ device }) => device),
    devices,
  );
  // A device that someone else has leased counts as busy, even for Admins who can control all sessions.
  if (claim === undefined || found === undefined) {
    const message = request.udid === null ? 'every phone that fits is busy' : 'the phone is busy';
    throw new NoMatchingDevice(message, 'busy');
  }
  devices.hold(found.udid);
  return found;
}

/** @returns whether a device matches the request, regardless of its status and leases */
export function fits(device: Device, request: DeviceRequest): boolean {
  const { udid, platform, families = [], teamId, maySee, here } = request;
  if (here && device.node !== null) return false;
  if (udid !== null && device.udid !== udid) return false;
  if (platform !== null && device.platform.toLowerCase() !== platform.toLowerCase()) return false;
  if (families.some((family) => !device.name.toLowerCase().includes(family.toLowerCase()))) return false;
  if (teamId !== null && device.teamId !== teamId) return false;
  return maySee(device.teamId);
}

function noneFits({ udid }: DeviceRequest): string {
  return udid === null ? 'no phone of this lab fits the capabilities' : 'this lab has no such phone';
}
