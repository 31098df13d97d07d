import { useState } from 'preact/hooks';
import { texts } from '../../texts/en.ts';
import { EmptyState, PageHeader, ResourceView, SearchBox, SelectField } from '../../ui/index.ts';
import { useLater } from '../../ui/use-later.ts';
import { DeviceCard } from './device-card.tsx';
import { DEVICE_STATES, type DeviceState } from './device-holder.ts';
import { findDevices } from './find-devices.ts';
import type { FirstRun } from './first-run.tsx';
import type { QueuePanel } from './queue-panel.tsx';
import type { Device } from './seen-devices.ts';
import { useDevices } from './use-devices.ts';

export function DevicesList() {
  const seen = useDevices();
  const First = useLater(true, loadFirstRun);
  const Queue = useLater(true, loadQueue);
  return (
    <>
      <PageHeader title={texts.devices.title} lead={texts.devices.lead} />
      {First !== undefined && <First devices={seen.value?.devices ?? []} />}
      {Queue !== undefined && <Queue devices={seen.value?.devices ?? []} />}
      <ResourceView resource={seen}>{({ devices }) => <Found devices={devices} />}</ResourceView>
    </>
  );
}

const loadFirstRun = async (): Promise<typeof FirstRun> => (await import('./first-run.tsx')).FirstRun;
const loadQueue = async (): Promise<typeof QueuePanel> => (await import('./queue-panel.tsx')).QueuePanel;

/**
 * Maximum number of phones whose screens the list shows at the same time. Each screen holds a connection, and a browser
 * opens at most six to one server.
 */
const MAX_WATCHED = 2;

function Found({ devices }: { devices: readonly Device[] }) {
  const [search, setSearch] = useState('');
  const [state, setState] = useState<DeviceState | ''>('');
  const [watched, setWatched] = useState<readonly string[]>([]);
  const found = findDevices(devices, search, state);
  const { anyStatus, statuses, none, noneFound, shown } = texts.devices;
  const watch = (udid: string, on: boolean) =>
    setWatched((before) => {
      const others = before.filter((each) => each !== udid);
      return on ? [...others, udid].slice(-MAX_WATCHED) : others;
    });
  if (devices.length === 0) return <EmptyState {...none} />;
  return (
    <>
      <search class="device-filters">
        <SearchBox label={texts.devices.search} value={search} onSearch={setSearch} />
        <SelectField
          label={texts.devices.status}
          value={state}
          options={[
            { value: '', label: anyStatus },
            ...DEVICE_STATES.map((each) => ({ value: each, label: statuses[each] })),
          ]}
          onChange={({ currentTarget }) => setState(currentTarget.value as DeviceState | '')}
        />
      </search>
      <p class="list-note" role="status">
        {shown(found.length, devices.length)}
      </p>
      {found.length === 0 && <EmptyState {...noneFound} />}
      <ul class="device-cards">
        {found.map((device) => (
          <li key={device.udid}>
            <DeviceCard
              device={device}
              isWatched={watched.includes(device.udid)}
              onWatch={(on) => watch(device.udid, on)}
            />
          </li>
        ))}
      </ul>
    </>
  );
}
