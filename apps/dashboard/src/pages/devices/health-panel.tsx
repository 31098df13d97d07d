import { call } from '../../api/client.ts';
import { useResource } from '../../api/use-resource.ts';
import { texts } from '../../texts/en.ts';
import { DataTable, Panel, ResourceView, TimeAgo } from '../../ui/index.ts';
import { bytesText } from './bytes-text.ts';
import { Fact } from './device-facts.tsx';
import { type DeviceHistory, healthDays, type Range, rangeOf } from './health-days.ts';
import { HEIGHT, linePath, WIDTH } from './line-path.ts';
import type { Device } from './seen-devices.ts';
import { percentText } from './use-parts.ts';

const words = texts.care.health;
const WEEK_MS = 7 * 24 * 60 * 60 * 1000;
const NUMBER = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 });
const DAY = new Intl.DateTimeFormat(undefined, {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  timeZone: 'UTC',
});

/** Values at the lower and upper edge of each drawing, so that drawings of different phones can be compared. */
const EDGES = { battery: [0, 100], temperature: [0, 60] } as const;
type Kind = keyof typeof EDGES;

/** Shows what was read from a phone in the last week, and how its sessions went (contract 17.2). */
export function HealthPanel({ device }: { device: Device }) {
  const { udid, status } = device;
  // The end of a session and a refused one free the phone, so the counts can only have changed with the status.
  const history = useResource(() => call('getDeviceHistory', { params: { udid } }), [udid, status]);
  return (
    <Panel title={words.title} lead={words.lead}>
      <ResourceView resource={history}>
        {(value) => (
          <>
            <dl class="device-facts device-facts-line">
              <Fact term={words.failureRate}>{rateText(value)}</Fact>
              <LastRead device={device} />
            </dl>
            <Chart history={value} kind="battery" />
            <Chart history={value} kind="temperature" />
            {value.probes.length === 0 && device.health === null && <p class="soft">{words.none}</p>}
            <Days history={value} />
          </>
        )}
      </ResourceView>
    </Panel>
  );
}

function rateText({ days, failureRate }: DeviceHistory): string {
  if (failureRate === null) return words.noSessions;
  const count = days.reduce((sum, { ended, refused }) => sum + ended + refused, 0);
  return words.ofSessions(percentText(failureRate, 1), count);
}

function LastRead({ device: { health } }: { device: Device }) {
  if (health === null) return null;
  const { battery, temperature, storageFree, checkedAt } = health;
  return (
    <>
      {battery !== null && <Fact term={words.battery}>{words.percent(NUMBER.format(battery))}</Fact>}
      {temperature !== null && (
        <Fact term={words.temperature}>{words.degrees(NUMBER.format(temperature))}</Fact>
      )}
      {storageFree !== null && <Fact term={words.storageFree}>{bytesText(storageFree)}</Fact>}
      <Fact term={words.checked}>
        <TimeAgo at={checkedAt} />
      </Fact>
    </>
  );
}

/**
 * Draws one value over the last seven days. The drawing is hidden from screen readers, because the table of days says
 * the same in words.
 */
function Chart({ history: { probes }, kind }: { history: DeviceHistory; kind: Kind }) {
  const points = probes.map((probe) => ({ at: Date.parse(probe.at), value: probe[kind] }));
  const range = rangeOf(points.map(({ value }) => value));
  if (range === null) return null;
  const [low, high] = EDGES[kind];
  const to = Date.now();
  return (
    <figure class="health-chart">
      <figcaption>
        {words[kind]} <span class="soft">{rangeText(kind, range)}</span>
      </figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
        <path d={linePath(points, { from: to - WEEK_MS, to, low, high })} />
      </svg>
    </figure>
  );
}

function Days({ history }: { history: DeviceHistory }) {
  return (
    <DataTable
      label={words.days}
      rows={healthDays(history)}
      rowKey={({ day }) => day}
      empty={null}
      columns={[
        {
          id: 'day',
          header: words.day,
          cell: ({ day }) => DAY.format(new Date(day)),
          order: ({ day }) => day,
        },
        { id: 'ended', header: words.ended, cell: ({ ended }) => ended, order: ({ ended }) => ended },
        { id: 'failed', header: words.failed, cell: ({ failed }) => failed, order: ({ failed }) => failed },
        {
          id: 'refused',
          header: words.refused,
          cell: ({ refused }) => refused,
          order: ({ refused }) => refused,
        },
        { id: 'battery', header: words.battery, cell: ({ battery }) => rangeText('battery', battery) },
        {
          id: 'temperature',
          header: words.temperature,
          cell: ({ temperature }) => rangeText('temperature', temperature),
        },
      ]}
    />
  );
}

function rangeText(kind: Kind, range: Range): string {
  if (range === null) return '–';
  const [low, high] = range.map((value) => NUMBER.format(value)) as [string, string];
  return words[kind === 'battery' ? 'percent' : 'degrees'](words.range(low, high));
}
