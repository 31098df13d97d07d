import type { Admission } from './admission.ts';
import type { Device } from './device.ts';
import type { Devices } from './devices.ts';
import type { HeldLeases } from './leases/held-leases.ts';
import { type Claim, NO_CLAIMS } from './leases/lease.ts';
import { choosePhone, fitsView } from './matching/choose-phone.ts';
import type { Candidate } from './matching/condition.ts';
import { mismatchText } from './matching/mismatches.ts';
import { type PhoneView, phoneViews, viewOfUdid } from './matching/phone-view.ts';
import { noneFits } from './matching/refusal-text.ts';
import { maySeeDevice } from './visibility/see-device.ts';

/** Requirements of a session for its device. */
export interface DeviceRequest {
  /** What each view of the capabilities requires, in the order of the views (contract 14.3). */
  readonly views: readonly PhoneView[];
  /** Id of the team to which the device must belong, or null for any device that the caller is allowed to see. */
  readonly teamId: string | null;
  /** Returns whether the caller may see the devices of a team, or of the shared pool if `teamId` is null. */
  readonly maySee: (teamId: string | null) => boolean;
  /** True if the session must be started on this server, so that devices of nodes do not fit. */
  readonly here?: boolean;
  /** Id of the account that will own the session, or null or absent if it will have no owner. */
  readonly ownerId?: string | null;
  /** Account that may take a device which is not clean yet, as `Uncleaned` names it. By default `ownerId`. */
  readonly holderId?: string | null;
  /** Returns the relation of the caller to the lease of a device (see `Claim`). If absent, no device is leased. */
  readonly claimOn?: (udid: string) => Claim;
}

/** A reserved device, or null for a session that takes none, and the view of the capabilities that fits it. */
export interface Allocated {
  readonly device: Device | null;
  readonly view: PhoneView;
}

/**
 * Reason why no device could be allocated: all matching devices are in use or leased (`busy`), no matching device is
 * connected to the lab now (`away`), or no matching device is known (`none`).
 */
type NoMatch = 'busy' | 'away' | 'none';

/** Thrown if no device could be allocated. The message is sent to the client. */
export class NoMatchingDevice extends Error {
  readonly why: NoMatch;
  /** Says of each visible device why it does not fit. Only Admins who look up the refusal see it. */
  readonly detail: string;

  constructor(message: string, why: NoMatch = 'none', detail = '') {
    super(message);
    this.name = 'NoMatchingDevice';
    this.why = why;
    this.detail = detail;
  }
}

/**
 * Reserves a free device that fits the request, unless the request takes no device.
 * @throws NoMatchingDevice if there is none. Devices that are hidden from the caller have no influence on the message,
 * so that a client cannot find out which devices exist.
 */
export function allocateDevice(devices: Devices, request: DeviceRequest): Allocated {
  const { views, claimOn = NO_CLAIMS } = request;
  const visible = visiblePhones(devices, request);
  const holderId = request.holderId ?? request.ownerId ?? null;
  const choice = choosePhone(views, visible, { devices, claimOn, holderId });
  switch (choice.kind) {
    case 'desktop':
      return { device: null, view: choice.view };
    case 'phone':
      devices.hold(choice.phone.device.udid, request.ownerId ?? null);
      return { device: choice.phone.device, view: choice.view };
    case 'busy':
      throw new NoMatchingDevice(allBusy(views), 'busy');
    case 'away':
      throw new NoMatchingDevice(noneFits(views, visible), 'away');
    case 'none':
      throw new NoMatchingDevice(noneFits(views, visible), 'none', mismatchText(views, visible));
  }
}

type Scope = Pick<DeviceRequest, 'teamId' | 'maySee' | 'here'>;

/** @returns the phones that a request may use, whatever their status: those that its caller sees in the wanted team */
export function visiblePhones(devices: Devices, scope: Scope): Candidate[] {
  return devices
    .list()
    .flatMap((device) => (isVisible(device, scope) ? { device, tags: devices.tagsOf(device.udid) } : []));
}

function isVisible({ node, teamId }: Device, scope: Scope): boolean {
  if (scope.here && node !== null) return false;
  return (scope.teamId === null || teamId === scope.teamId) && scope.maySee(teamId);
}

/** Creates the test whether a device matches one of the views of a request, regardless of its status and leases. */
export function fittingDevices(devices: Devices, request: DeviceRequest): (device: Device) => boolean {
  let visible: Candidate[] | undefined;
  const tests = request.views.map((view) =>
    fitsView(view, () => {
      visible ??= visiblePhones(devices, request);
      return visible;
    }),
  );
  return (device) => {
    if (!isVisible(device, request)) return false;
    const phone = { device, tags: devices.tagsOf(device.udid) };
    return tests.some((fits) => fits(phone));
  };
}

function allBusy(views: readonly PhoneView[]): string {
  return views.every(({ udid }) => udid !== null) ? 'the phone is busy' : 'every phone that fits is busy';
}

interface Circumstances {
  /** Whether the session must run on a device of this server. */
  readonly here: boolean;
  /** Caller with its current rights, which may have changed while the request waited. */
  readonly caller: Admission['caller'];
  readonly leases: Pick<HeldLeases, 'claimsOf'> | undefined;
}

/**
 * Reads what each view of a create-session request requires of its device.
 * @param wanted W3C capabilities without credentials
 * @throws UnusableCondition if a condition in `svc:options` cannot be used
 */
export function requiredViews({ fromHub }: Admission, wanted: unknown): readonly PhoneView[] {
  // On a node, only the udid counts, because the hub has already chosen the device and the view.
  return fromHub === undefined ? phoneViews(wanted) : [viewOfUdid(fromHub.udid)];
}

/** Returns what a create-session request requires of its device. Uses the current rights of the session's owner. */
export function deviceRequestOf(
  { lease, teamId, maySee, fromHub, caller: admitted }: Admission,
  views: readonly PhoneView[],
  { here, caller, leases }: Circumstances,
): DeviceRequest {
  // Ignore leases on a node, because the hub has already checked the leases of its nodes' devices.
  const claims = fromHub === undefined ? leases : undefined;
  return {
    views,
    teamId,
    maySee: caller === admitted ? maySee : (team) => maySeeDevice(caller, team),
    here,
    ownerId: caller?.account.id ?? null,
    ...(fromHub === undefined ? {} : { holderId: fromHub.holderId ?? null }),
    claimOn: claims?.claimsOf(caller?.account.id ?? null, lease) ?? NO_CLAIMS,
  };
}
