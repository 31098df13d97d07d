import { type DeviceState, isMine, stateOf } from './device-holder.ts';
import type { Device } from './seen-devices.ts';

/** Properties of a phone by which the list can be filtered, in the order of their fields. */
export const FILTERS = ['platform', 'version', 'team', 'node', 'tag'] as const;
export type Filter = (typeof FILTERS)[number];

/** Search text and filters that the user has entered. An empty text means that the property is not filtered. */
export type Wanted = Readonly<Record<Filter | 'search', string>> & { readonly status: DeviceState | '' };

/** Value of a filter for phones that have no team or no node. */
export const NONE = '-';

/**
 * @returns the phones that match all filters and the search text: the viewer's own first, then the free ones, then those
 * in use, then those that are out of service or away; sorted by name in each group. The page itself filters, because the API returns
 * all phones in one response.
 */
export function findDevices(devices: readonly Device[], wanted: Wanted, viewerId: string): readonly Device[] {
  const search = wanted.search.trim().toLowerCase();
  return devices
    .filter((device) => wanted.status === '' || stateOf(device) === wanted.status)
    .filter((device) => FILTERS.every((filter) => isWanted(device, filter, wanted[filter])))
    .filter((device) => search === '' || textsOf(device).some((text) => text.toLowerCase().includes(search)))
    .toSorted(
      (a, b) =>
        rankOf(a, viewerId) - rankOf(b, viewerId) ||
        BY_NAME.compare(a.name, b.name) ||
        BY_NAME.compare(a.udid, b.udid),
    );
}

/** Places of the states in the list, after the viewer's own phones. */
const RANKS = { free: 1, busy: 2, leased: 2, out: 3, away: 4 } as const;

function rankOf(device: Device, viewerId: string): number {
  const isOwn = device.status !== 'away' && isMine(device, viewerId);
  return isOwn ? 0 : RANKS[stateOf(device)];
}

export interface Choice {
  readonly value: string;
  /** Text for the user, or null for phones without the property. */
  readonly label: string | null;
}

/**
 * @returns the sorted values that a filter can have. Versions are only those of the selected platform. The current
 * value is always included, so that a shared link shows the value by which it filters.
 */
export function choicesOf(devices: readonly Device[], filter: Filter, wanted: Wanted): readonly Choice[] {
  const counted = devices.filter(
    (device) => filter !== 'version' || isWanted(device, 'platform', wanted.platform),
  );
  const choices = new Map(counted.flatMap((device) => valuesOf(device, filter)));
  const current = wanted[filter];
  if (current !== '' && !choices.has(current)) choices.set(current, current);
  return [...choices]
    .map(([value, label]) => ({ value, label }))
    .toSorted((a, b) => BY_NAME.compare(a.label ?? '', b.label ?? ''));
}

/**
 * @returns the name of each phone by UDID. If phones share a name, the name is followed by the phone's node, or by its
 * UDID if the phones also share the node.
 */
export function namesOf(devices: readonly Named[]): ReadonlyMap<string, string> {
  const count = (key: (device: Named) => string) => {
    const counts = new Map<string, number>();
    for (const device of devices) counts.set(key(device), (counts.get(key(device)) ?? 0) + 1);
    return (device: Named) => counts.get(key(device)) ?? 0;
  };
  const sameName = count(({ name }) => name);
  const samePlace = count(({ name, node }) => JSON.stringify([name, node]));
  return new Map(
    devices.map((device) => {
      const { udid, name, node } = device;
      if (sameName(device) === 1) return [udid, name];
      return [udid, `${name} · ${node !== null && samePlace(device) === 1 ? node : udid}`];
    }),
  );
}

type Named = Pick<Device, 'udid' | 'name' | 'node'>;

const BY_NAME = new Intl.Collator(undefined, { numeric: true });

function isWanted(device: Device, filter: Filter, value: string): boolean {
  return value === '' || valuesOf(device, filter).some(([each]) => each === value);
}

/** @returns each value of a property, with its text for the user; the text is null for a phone without the property */
function valuesOf(
  { platform, osVersion, team, node, tags }: Device,
  filter: Filter,
): [string, string | null][] {
  switch (filter) {
    case 'platform':
      return [[platform, platform]];
    case 'version':
      return [[osVersion, osVersion]];
    case 'team':
      return [team === null ? [NONE, null] : [team.id, team.name]];
    case 'node':
      return [node === null ? [NONE, null] : [node, node]];
    case 'tag':
      return tags.map((tag) => [tag, tag]);
  }
}

function textsOf({
  name,
  udid,
  platform,
  osVersion,
  team,
  node,
  tags,
  session,
  lease,
  model,
  note,
}: Device): string[] {
  const persons = [lease?.owner.email, session?.owner?.email];
  const others = [session?.name, node, team?.name, model, note, ...persons].filter(
    (text) => text !== null && text !== undefined,
  );
  return [name, udid, platform, osVersion, ...tags, ...others];
}
