import { maySeeDevice } from '@svc/auth-core';
import type { Admission } from './admission.ts';
import type { DeviceRequest } from './allocate-device.ts';
import type { requestedDevice } from './device-capabilities.ts';
import type { HeldLeases } from './leases/held-leases.ts';
import { NO_CLAIMS } from './leases/lease.ts';

interface Circumstances {
  /** Whether the session must run on a device of this server. */
  readonly here: boolean;
  /** Caller with its current rights, which may have changed while the request waited. */
  readonly caller: Admission['caller'];
  readonly leases: Pick<HeldLeases, 'claimsOf'> | undefined;
}

/** Returns what a create-session request requires of its device. Uses the current rights of the session's owner. */
export function deviceRequestOf(
  { lease, teamId, maySee, fromHub, caller: admitted }: Admission,
  { udid, platform, families }: ReturnType<typeof requestedDevice>,
  { here, caller, leases }: Circumstances,
): DeviceRequest {
  // Ignore leases on a node, because the hub has already checked the leases of its nodes' devices.
  const claims = fromHub === undefined ? leases : undefined;
  return {
    udid: fromHub?.udid ?? udid,
    platform,
    // Ignore the requested families (iPhone, iPad) on a node, because the hub has already checked them.
    families: fromHub === undefined ? families : [],
    teamId,
    maySee: caller === admitted ? maySee : (team) => maySeeDevice(caller, team),
    here,
    claimOn: claims?.claimsOf(caller?.account.id ?? null, lease) ?? NO_CLAIMS,
  };
}
