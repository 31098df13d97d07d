import type { Admission } from './admission.ts';
import type { DeviceRequest } from './allocate-device.ts';
import type { HeldLeases } from './leases/held-leases.ts';
import { NO_CLAIMS } from './leases/lease.ts';
import { type PhoneView, phoneViews, viewOfUdid } from './matching/phone-view.ts';
import { maySeeDevice } from './visibility/see-device.ts';

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
