import type { Answer } from '../../api/client.ts';

type Device = Answer<'listDevices'>[number];
type Lease = Answer<'listLeases'>[number];

/** A lease as the page shows it. */
export interface HeldPhone {
  readonly udid: string;
  readonly phone: string;
  readonly holder: Lease['owner'];
  readonly expiresAt: string;
  readonly isMine: boolean;
  /** Id of the lease, or null if the caller is not allowed to change the lease. */
  readonly leaseId: string | null;
}

/**
 * Joins the leases that the caller is allowed to change with the other leases that the caller can see on phones.
 * @returns first the caller's own leases, then those of others; in both groups, leases that end sooner come first
 */
export function heldPhones(
  devices: readonly Device[],
  leases: readonly Lease[],
  callerId: string,
): HeldPhone[] {
  const names = new Map(devices.map(({ udid, name }) => [udid, name]));
  const changeable = leases.map(({ leaseId, udid, owner, expiresAt }) => ({
    leaseId,
    udid,
    owner,
    expiresAt,
  }));
  const own = new Set(leases.map(({ udid }) => udid));
  const seen = devices.flatMap(({ udid, lease }) =>
    lease === undefined || own.has(udid) ? [] : [{ leaseId: null, udid, ...lease }],
  );
  return [...changeable, ...seen]
    .map(({ leaseId, udid, owner, expiresAt }) => ({
      ...{ leaseId, udid, expiresAt },
      phone: names.get(udid) ?? udid,
      holder: owner,
      isMine: owner.id === callerId,
    }))
    .sort((a, b) => Number(b.isMine) - Number(a.isMine) || (a.expiresAt < b.expiresAt ? -1 : 1));
}
