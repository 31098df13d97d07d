import { type DeviceState, stateOf } from './device-holder.ts';
import type { Device } from './seen-devices.ts';

/**
 * @returns the phones that have a text with the search in it, sorted by name; the page filters, because the API returns
 * all phones in one response
 */
export function findDevices(
  devices: readonly Device[],
  search: string,
  state: DeviceState | '',
): readonly Device[] {
  const wanted = search.trim().toLowerCase();
  return devices
    .filter((device) => state === '' || stateOf(device) === state)
    .filter((device) => wanted === '' || textsOf(device).some((text) => text.toLowerCase().includes(wanted)))
    .toSorted((a, b) => BY_NAME.compare(a.name, b.name) || BY_NAME.compare(a.udid, b.udid));
}

const BY_NAME = new Intl.Collator(undefined, { numeric: true });

function textsOf({ name, udid, platform, osVersion, team, node, tags, session, lease }: Device): string[] {
  const persons = [lease?.owner.email, session?.owner?.email];
  const others = [session?.name, node, team?.name, ...persons].filter(
    (text) => text !== null && text !== undefined,
  );
  return [name, udid, platform, osVersion, ...tags, ...others];
}
