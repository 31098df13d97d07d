import { useRef, useState } from 'preact/hooks';
import { caller, isAtLeast } from '../../api/current-caller.ts';
import type { Thumbnail } from '../../screen/thumbnail.tsx';
import { texts } from '../../texts/en.ts';
import { Button, EmptyState, LinkButton, PageHeader, ResourceView } from '../../ui/index.ts';
import { useLater } from '../../ui/use-later.ts';
import { DeviceCard, mayWatch } from './device-card.tsx';
import { DeviceFilters, useWanted } from './device-filters.tsx';
import { findDevices, namesOf } from './find-devices.ts';
import type { FirstRun } from './first-run.tsx';
import type { PhoneSources } from './phone-sources.tsx';
import type { QueuePanel } from './queue-panel.tsx';
import type { Device } from './seen-devices.ts';
import { useDevices } from './use-devices.ts';

/** Value of the query parameter `use` that opens the page about the usage of the phones in the last 7 days. */
export const USE_OF_WEEK = 'week';
/** Value of the query parameter `use` that opens the page about which phones fit capabilities. */
export const MATCH = 'match';

export function DevicesList() {
  const seen = useDevices();
  const First = useLater(true, loadFirstRun);
  const Queue = useLater(true, loadQueue);
  const Sources = useLater(isAtLeast(caller.value.role, 'Admin'), loadSources);
  return (
    <>
      <PageHeader
        title={texts.devices.title}
        lead={texts.devices.lead}
        actions={
          <>
            <LinkButton href={`?use=${MATCH}`}>{texts.devices.match}</LinkButton>
            <LinkButton href={`?use=${USE_OF_WEEK}`}>{texts.devices.use}</LinkButton>
          </>
        }
      />
      {First !== undefined && <First devices={seen.value?.devices ?? []} />}
      {Queue !== undefined && <Queue devices={seen.value?.devices ?? []} />}
      {Sources !== undefined && seen.value !== undefined && (
        <Sources isEmpty={seen.value.devices.length === 0} />
      )}
      <ResourceView resource={seen}>{({ devices }) => <Found devices={devices} />}</ResourceView>
    </>
  );
}

const loadFirstRun = async (): Promise<typeof FirstRun> => (await import('./first-run.tsx')).FirstRun;
const loadThumbnail = async (): Promise<typeof Thumbnail> =>
  (await import('../../screen/thumbnail.tsx')).Thumbnail;
const loadQueue = async (): Promise<typeof QueuePanel> => (await import('./queue-panel.tsx')).QueuePanel;
const loadSources = async (): Promise<typeof PhoneSources> =>
  (await import('./phone-sources.tsx')).PhoneSources;

/**
 * Maximum number of phones whose screens the list shows at the same time. Each screen holds a connection, and a browser
 * opens at most six to one server.
 */
const MAX_WATCHED = 2;

/** Number of phones that the list shows before the user asks for more. */
const PAGE = 48;

function Found({ devices }: { devices: readonly Device[] }) {
  const [wanted, change] = useWanted();
  const [watched, setWatched] = useState<readonly string[]>([]);
  const Picture = useLater(devices.some(mayWatch), loadThumbnail);
  const [most, setMost] = useState(PAGE);
  const list = useRef<HTMLUListElement>(null);
  const found = findDevices(devices, wanted);
  const names = namesOf(devices);
  const { none, noneForAdmins, noneFound, shown } = texts.devices;
  const watch = (udid: string, on: boolean) =>
    setWatched((before) => {
      const others = before.filter((each) => each !== udid);
      return on ? [...others, udid].slice(-MAX_WATCHED) : others;
    });
  const showMore = () => {
    setMost(most + PAGE);
    // The button disappears once all phones are shown, so move the focus to the first of the added phones.
    requestAnimationFrame(() => list.current?.children[most]?.querySelector('a')?.focus());
  };
  if (devices.length === 0)
    return <EmptyState {...(isAtLeast(caller.value.role, 'Admin') ? noneForAdmins : none)} />;
  return (
    <>
      <DeviceFilters devices={devices} wanted={wanted} onChange={change} />
      <p class="list-note" role="status">
        {shown(found.length, devices.length)}
      </p>
      {found.length === 0 && <EmptyState {...noneFound} />}
      <ul class="device-cards" ref={list}>
        {found.slice(0, most).map((device) => (
          <li key={device.udid}>
            <DeviceCard
              device={device}
              name={names.get(device.udid) ?? device.name}
              Thumbnail={Picture}
              isWatched={watched.includes(device.udid)}
              onWatch={(on) => watch(device.udid, on)}
            />
          </li>
        ))}
      </ul>
      {found.length > most && (
        <div class="more">
          <Button onClick={showMore}>{texts.lists.more}</Button>
        </div>
      )}
    </>
  );
}
