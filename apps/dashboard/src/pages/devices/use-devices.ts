import { ApiError } from '../../api/api-error.ts';
import { type Answer, call } from '../../api/client.ts';
import { type Resource, useResource } from '../../api/use-resource.ts';
import { useReloadOn } from '../../live/use-live.ts';
import { useEvery } from './use-every.ts';

export type Device = Answer<'listDevices'>[number];
export type Lease = Answer<'listLeases'>[number];

export interface SeenDevices {
  readonly devices: readonly Device[];
  /** Those the caller may change. */
  readonly leases: readonly Lease[];
}

const EVENTS = [
  'device_new',
  'device_online',
  'device_offline',
  'device_changed',
  'session_started',
  'session_changed',
  'session_ended',
  'lease_created',
  'lease_changed',
  'lease_ended',
];

/** Others' sessions make no event here, yet their phones turn busy. */
const LOOK_MS = 15_000;

/** The phones as they are, following the lab. */
export function useDevices(): Resource<SeenDevices> {
  const seen = useResource(async () => {
    const [devices, leases] = await Promise.all([call('listDevices'), listLeases()]);
    return { devices, leases };
  });
  useReloadOn(EVENTS, seen.reload);
  useEvery(LOOK_MS, seen.reload);
  return seen;
}

/** A node has no leases of its own: its hub leases the phones. */
async function listLeases(): Promise<readonly Lease[]> {
  try {
    return await call('listLeases');
  } catch (error) {
    if (error instanceof ApiError && error.code === 'managed_by_hub') return [];
    throw error;
  }
}
