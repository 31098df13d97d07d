import type { LiveEvent } from '@svc/contract';
import type { Device, SeenDevices } from './seen-devices.ts';

export interface Viewer {
  readonly id: string;
  /** Whether the viewer may see and change the leases of all users. */
  readonly isOverrideAdmin: boolean;
}

/** Types of all events that change what the page shows about phones. */
export const DEVICE_EVENTS = [
  'device_new',
  'device_online',
  'device_offline',
  'device_changed',
  'device_hidden',
  'session_started',
  'session_changed',
  'session_ended',
  'lease_created',
  'lease_changed',
  'lease_ended',
  'account_changed',
  'history_lost',
] as const;

/**
 * Applies an event to the loaded phones.
 * @returns the changed phones, or null if the event does not contain enough data, so that the list must be loaded again
 */
export function withEvent(
  seen: SeenDevices,
  { type, payload }: LiveEvent,
  viewer: Viewer,
): SeenDevices | null {
  switch (type) {
    case 'device_online':
    case 'device_offline':
    case 'device_changed':
      return withDevice(seen, payload);
    case 'device_hidden':
      return { ...seen, devices: seen.devices.filter(({ udid }) => udid !== payload.udid) };
    case 'session_changed':
      return withSession(seen, payload, ({ session, ...device }) => ({
        ...device,
        ...(session === undefined ? {} : { session: { ...session, name: payload.name } }),
      }));
    case 'session_ended':
      return withSession(seen, payload, ({ session: _, ...device }) => device);
    case 'lease_created':
    case 'lease_changed':
      return withLease(seen, payload, viewer);
    case 'lease_ended':
      return withoutLease(seen, payload);
    default:
      return null;
  }
}

function withDevice(seen: SeenDevices, payload: LiveEvent<'device_changed'>['payload']): SeenDevices | null {
  const { teamId, ...facts } = payload;
  const known = seen.devices.find(({ udid }) => udid === facts.udid);
  // The event contains only the id of the phone's team. If the phone has changed its team, load the list again, which
  // contains the team's name.
  if (known === undefined || teamId !== (known.team?.id ?? null)) return null;
  const { session, problem: _, starting: __, ...device } = known;
  const keeps = session !== undefined && facts.status !== 'free';
  return replaced(seen, { ...device, ...facts, ...(keeps ? { session } : {}) });
}

function withSession(
  seen: SeenDevices,
  { id }: LiveEvent<'session_changed'>['payload'],
  change: (device: Device) => Device,
): SeenDevices {
  const device = seen.devices.find(({ session }) => session?.id === id);
  return device === undefined ? seen : replaced(seen, change(device));
}

type ChangedLease = LiveEvent<'lease_changed'>['payload'];

function withLease(
  seen: SeenDevices,
  lease: ChangedLease,
  { id, isOverrideAdmin }: Viewer,
): SeenDevices | null {
  const { leaseId, udid, expiresAt } = lease;
  const { id: ownerId, email } = lease.owner;
  const device = seen.devices.find((each) => each.udid === udid);
  if (device === undefined || email === null) return null;
  const owner = { id: ownerId, email };
  const others = seen.leases.filter((each) => each.leaseId !== leaseId);
  const mayChange = isOverrideAdmin || owner.id === id;
  return {
    ...replaced(seen, { ...device, lease: { owner, expiresAt } }),
    leases: mayChange ? [...others, { leaseId, udid, owner, expiresAt }] : others,
  };
}

function withoutLease(seen: SeenDevices, { leaseId, udid }: ChangedLease): SeenDevices {
  const leases = seen.leases.filter((each) => each.leaseId !== leaseId);
  const device = seen.devices.find((each) => each.udid === udid);
  if (device === undefined) return { ...seen, leases };
  const { lease: _, ...rest } = device;
  return { ...replaced(seen, rest), leases };
}

function replaced(seen: SeenDevices, device: Device): SeenDevices {
  return { ...seen, devices: seen.devices.map((each) => (each.udid === device.udid ? device : each)) };
}
