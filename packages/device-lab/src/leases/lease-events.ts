import type { NewLabEvent } from '../events/lab-events.ts';
import type { Lease } from './lease.ts';

/** @returns an event about a lease, for the readers who may see the leased device. `teamId` is the device's team. */
export function leaseEvent(
  type: 'lease_created' | 'lease_changed' | 'lease_ended',
  { id, udid, ownerId, expiresAt }: Lease,
  { owner, teamId, reason }: { owner: string | null; teamId: string | null; reason?: string },
): NewLabEvent {
  return {
    type,
    payload: {
      leaseId: id,
      udid,
      owner: { id: ownerId, email: owner },
      expiresAt: new Date(expiresAt).toISOString(),
      ...(reason === undefined ? {} : { reason }),
    },
    audience: { kind: 'device', teamId },
  };
}
