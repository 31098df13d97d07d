import type { LiveEvent } from '@svc/contract';
import { useRef } from 'preact/hooks';
import { ApiError } from '../../api/api-error.ts';
import { call } from '../../api/client.ts';
import { caller } from '../../api/current-caller.ts';
import { type Resource, useResource } from '../../api/use-resource.ts';
import { useLiveEvents } from '../../live/use-live.ts';
import { useSoon } from '../../live/use-soon.ts';
import { DEVICE_EVENTS, type Viewer, withEvent } from './follow-devices.ts';
import type { Lease, SeenDevices } from './seen-devices.ts';

/** Maximum number of received events to keep. Older events are dropped. */
const MAX_EVENTS = 500;

/**
 * Loads the phones and applies live events to them. Loads the phones again only after an event that does not contain
 * all changed data.
 */
export function useDevices(): Resource<SeenDevices> {
  /**
   * Events received since the last request was sent. They are also applied to the response of this request, because the
   * server may have created the response before these events.
   */
  const events = useRef<LiveEvent[]>([]);
  const seen = useResource(async () => {
    events.current = [];
    const [devices, leases] = await Promise.all([call('listDevices'), listLeases()]);
    return events.current.reduce(followed, { devices, leases });
  });
  const reloadSoon = useSoon(seen.reload);
  useLiveEvents(DEVICE_EVENTS, (event) => {
    events.current = [...events.current.slice(-MAX_EVENTS), event];
    if (seen.value === undefined || withEvent(seen.value, event, viewer()) === null) reloadSoon();
    else seen.change((value) => followed(value, event));
  });
  return seen;
}

function followed(seen: SeenDevices, event: LiveEvent): SeenDevices {
  return withEvent(seen, event, viewer()) ?? seen;
}

function viewer(): Viewer {
  const { id, role, scopes } = caller.value;
  return { id, isOverrideAdmin: role === 'Super admin' || scopes.includes('admin') };
}

/**
 * Loads the leases. Returns an empty list if this server is a node, because then the leases are stored only on its hub.
 */
async function listLeases(): Promise<readonly Lease[]> {
  try {
    return await call('listLeases');
  } catch (error) {
    if (error instanceof ApiError && error.code === 'managed_by_hub') return [];
    throw error;
  }
}
