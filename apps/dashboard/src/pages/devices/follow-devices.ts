import type { LiveEvent } from '../../live/events-connection.ts';
import type { Device, Lease, SeenDevices } from './seen-devices.ts';

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
        ...(session === undefined ? {} : { session: { ...session, name: payload.name as string | null } }),
      }));
    case 'session_ended':
      return withSession(seen, payload, ({ session: _, ...device }) => device);
    case 'lease_created':
    case 'lease_changed':
      return withLease(seen, payload as unknown as Lease, viewer);
    case 'lease_ended':
      return withoutLease(seen, payload as unknown as Lease);
    default:
      return null;
  }
}

function withDevice(seen: SeenDevices, payload: LiveEvent['payload']): SeenDevices | null {
  const known = seen.devices.find(({ udid }) => udid === payload.udid);
  // The event contains only the id of the phone's team. If the phone has changed its team, load the list again, which
  // contains the team's name.
  if (known === undefined || payload.teamId !== (known.team?.id ?? null)) return null;
  const { name, platform, osVersion, node, status, tags, problem, starting } = payload as unknown as Device;
  const { model, manufacturer, apiLevel, kind, avd, idleSince } = payload as unknown as Device;
  const { note, outOfService } = payload as unknown as Device;
  const facts = { model, manufacturer, apiLevel, kind, avd, idleSince, note, outOfService };
  const now = { ...known, name, platform, osVersion, node, status, tags, ...facts };
  const { session, problem: _, starting: __, ...device } = now;
  const keeps = session !== undefined && status !== 'free';
  return replaced(seen, {
    ...device,
    ...(keeps ? { session } : {}),
    ...(problem === undefined ? {} : { problem }),
    ...(starting === undefined ? {} : { starting }),
  });
}

function withSession(
  seen: SeenDevices,
  { id }: LiveEvent['payload'],
  change: (device: Device) => Device,
): SeenDevices {
  const device = seen.devices.find(({ session }) => session?.id === id);
  return device === undefined ? seen : replaced(seen, change(device));
}

function withLease(seen: SeenDevices, lease: Lease, { id, isOverrideAdmin }: Viewer): SeenDevices | null {
  const { leaseId, udid, owner, expiresAt } = lease;
  const device = seen.devices.find((each) => each.udid === udid);
  if (device === undefined || owner.email === null) return null;
  const others = seen.leases.filter((each) => each.leaseId !== leaseId);
  const mayChange = isOverrideAdmin || owner.id === id;
  return {
    ...replaced(seen, { ...device, lease: { owner, expiresAt } }),
    leases: mayChange ? [...others, { leaseId, udid, owner, expiresAt }] : others,
  };
}

function withoutLease(seen: SeenDevices, { leaseId, udid }: Lease): SeenDevices {
  const leases = seen.leases.filter((each) => each.leaseId !== leaseId);
  const device = seen.devices.find((each) => each.udid === udid);
  if (device === undefined) return { ...seen, leases };
  const { lease: _, ...rest } = device;
  return { ...replaced(seen, rest), leases };
}

function replaced(seen: SeenDevices, device: Device): SeenDevices {
  return { ...seen, devices: seen.devices.map((each) => (each.udid === device.udid ? device : each)) };
}
