import { useRef, useState } from 'preact/hooks';
import { caller, isAtLeast } from '../../api/current-caller.ts';
import type { Thumbnail } from '../../screen/thumbnail.tsx';
import { texts } from '../../texts/en.ts';
import { Button, EmptyState, IconButton, LinkButton, PageHeader, ResourceView } from '../../ui/index.ts';
import { useLater } from '../../ui/use-later.ts';
import { DeviceCard } from './device-card.tsx';
import { DeviceFilters, useWanted } from './device-filters.tsx';
import { DeviceRow } from './device-row.tsx';
import { DeviceSummary } from './device-summary.tsx';
import { useView, type View } from './device-view.ts';
import { findDevices, namesOf, type Wanted } from './find-devices.ts';
import type { FirstSteps } from './first-run.tsx';
import { mayWatch } from './may-watch.ts';
import type { PhoneSources } from './phone-sources.tsx';
import type { QueuePanel } from './queue-panel.tsx';
import type { Device } from './seen-devices.ts';
import { useDevices } from './use-devices.ts';
import { useFirstRun } from './use-first-run.ts';

/** Value of the query parameter `use` that opens the page about the usage of the phones in the last 7 days. */
export const USE_OF_WEEK = 'week';
/** Value of the query parameter `use` that opens the page about which phones fit capabilities. */
export const MATCH = 'match';

export function DevicesList() {
  const seen = useDevices();
  const devices = seen.value?.devices ?? [];
  const [wanted, change] = useWanted();
  const [view, choose] = useView(devices.length);
  const first = useFirstRun(seen.value?.devices);
  const Steps = useLater(first?.isOpen === true, loadSteps);
  const Queue = useLater(true, loadQueue);
  const Sources = useLater(isAtLeast(caller.value.role, 'Admin'), loadSources);
  return (
    <>
      <PageHeader
        title={texts.devices.title}
        lead={
          devices.length === 0 ? (
            texts.devices.lead
          ) : (
            <DeviceSummary devices={devices} state={wanted.status} onState={(status) => change({ status })} />
          )
        }
        actions={
          <>
            {first !== undefined && (
              <Button aria-expanded={first.isOpen} onClick={first.toggle}>
                {texts.devices.firstRun.title}: {texts.devices.firstRun.progress(first.steps)}
              </Button>
            )}
            <LinkButton href={`?use=${MATCH}`}>{texts.devices.match}</LinkButton>
            <LinkButton href={`?use=${USE_OF_WEEK}`}>{texts.devices.use}</LinkButton>
            {devices.length > 0 && <ViewChoice view={view} onChoose={choose} />}
          </>
        }
      />
      {first?.isOpen === true && Steps !== undefined && <Steps {...first} />}
      {Queue !== undefined && <Queue devices={devices} />}
      {Sources !== undefined && seen.value !== undefined && <Sources isEmpty={devices.length === 0} />}
      <ResourceView resource={seen}>
        {() => <Found devices={devices} wanted={wanted} onWant={change} view={view} />}
      </ResourceView>
    </>
  );
}

const loadSteps = async (): Promise<typeof FirstSteps> => (await import('./first-run.tsx')).FirstSteps;
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

interface FoundProps {
  devices: readonly Device[];
  wanted: Wanted;
  onWant(part: Partial<Wanted>): void;
  view: View;
}

function Found({ devices, wanted, onWant, view }: FoundProps) {
  const [watched, setWatched] = useState<readonly string[]>([]);
  const Picture = useLater(view === 'grid' && devices.some(mayWatch), loadThumbnail);
  const [most, setMost] = useState(PAGE);
  const list = useRef<HTMLUListElement>(null);
  const found = findDevices(devices, wanted, caller.value.id);
  const names = namesOf(devices);
  const { none, noneForAdmins, noneFound } = texts.devices;
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
      <DeviceFilters devices={devices} wanted={wanted} onChange={onWant} />
      <p class="off-screen" role="status">
        {texts.lists.count(found.length, devices.length, true, 'phones')}
      </p>
      {found.length === 0 && <EmptyState {...noneFound} />}
      <ul class={view === 'list' ? 'device-rows' : 'device-cards'} ref={list}>
        {found.slice(0, most).map((device) => {
          const { udid } = device;
          const props = {
            device,
            name: names.get(udid) ?? device.name,
            isWatched: watched.includes(udid),
            onWatch: (on: boolean) => watch(udid, on),
          };
          return (
            <li key={udid}>
              {view === 'list' ? <DeviceRow {...props} /> : <DeviceCard {...props} Thumbnail={Picture} />}
            </li>
          );
        })}
      </ul>
      {found.length > most && (
        <div class="more">
          <Button onClick={showMore}>{texts.lists.more}</Button>
        </div>
      )}
    </>
  );
}

interface ViewChoiceProps {
  view: View;
  onChoose(view: View): void;
}

function ViewChoice({ view, onChoose }: ViewChoiceProps) {
  const words = texts.devices.view;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields of a form
    <div class="segments" role="group" aria-label={words.title}>
      {(['list', 'grid'] as const).map((each) => (
        <IconButton
          key={each}
          icon={each}
          label={words[each]}
          aria-pressed={each === view}
          onClick={() => onChoose(each)}
        />
      ))}
    </div>
  );
}
