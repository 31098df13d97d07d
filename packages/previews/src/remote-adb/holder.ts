import { type Caller, mayAccess, NO_CREDENTIAL } from '@svc/auth-core';
import { DEVICES } from '@svc/contract';
import { type DeviceLab, maySeeDevice } from '@svc/device-lab';

export type HolderLab = Pick<DeviceLab, 'devices' | 'sessions' | 'heldLeases' | 'lendToHub'>;

/**
 * Decides whether the caller may use a phone from their own machine: the holder of the phone's lease, or the owner of
 * the session that runs on it (contract 16.1). A role gives no such right. An agent needs the lease, because a session
 * of an agent ends with its token and must not open a second way to the phone.
 * @returns why the caller may not, or null if the caller may
 */
export function refusalToUsePhone(lab: HolderLab, caller: Caller, udid: string): string | null {
  const device = lab.devices.byUdid(udid);
  if (device === undefined) return 'the phone is gone';
  if (!maySeeDevice(caller, device.teamId)) return 'the phone is hidden from the caller';
  if (!mayAccess(caller, DEVICES)) return 'the scope devices is gone';
  if (lab.devices.statusOf(udid) === 'away') return 'the phone is away';
  if (lab.devices.isElsewhere(udid)) return 'another server of the host holds the phone';
  if (lab.devices.isBlocked(udid)) return 'the phone is out of service';
  if (lab.devices.isBeingRead(udid) || lab.devices.isBeingCleaned(udid)) return 'the phone is being cleaned';
  if (caller.credential.kind === NO_CREDENTIAL.kind) return null;
  const { id } = caller.account;
  if (lab.heldLeases.on(udid)?.owner.id === id) return null;
  const isAgent = caller.credential.agent !== null;
  const session = lab.sessions.runningOn(udid);
  if (!isAgent && session !== undefined && session.ownerId === id) return null;
  return isAgent ? 'no lease of the agent' : 'neither a lease nor a session of the caller';
}
