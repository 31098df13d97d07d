import { type Answer, call } from '../../api/client.ts';
import { useResource } from '../../api/use-resource.ts';
import { useReloadOn } from '../../live/use-live.ts';
import { texts } from '../../texts/en.ts';
import { DataTable, Panel } from '../../ui/index.ts';
import { RunningTime, TimeLeft } from '../../ui/running-time.tsx';
import { namesOf } from './find-devices.ts';
import type { Device } from './seen-devices.ts';

type Waiting = Answer<'getQueue'>['items'][number];

/**
 * Shows which create-session and lease requests wait for a phone, and the positions of the user's own requests. Shows
 * nothing if no request waits.
 */
export function QueuePanel({ devices }: { devices: readonly Device[] }) {
  const queue = useResource(() => call('getQueue'));
  useReloadOn(['queue_changed', 'account_changed'], queue.reload);
  const { value } = queue;
  if (value === undefined || value.waiting === 0) return null;
  const words = texts.devices.queue;
  const own = value.items.filter((item) => item.own);
  const nameOf = (item: Waiting) => wantedBy(item, devices);
  return (
    <Panel title={words.title} lead={words.lead(value.waiting)}>
      <div role="status">
        {own.map((item) => (
          <p key={keyOf(item)}>
            {words.ownPlace(item.place, nameOf(item))} {item.because !== null && words.because(item.because)}
          </p>
        ))}
      </div>
      {value.items.length > 0 && (
        <DataTable
          label={words.title}
          rows={value.items}
          rowKey={keyOf}
          columns={[
            { id: 'place', header: words.place, cell: ({ place }) => place, order: ({ place }) => place },
            { id: 'wants', header: words.wants, cell: nameOf, order: nameOf },
            {
              id: 'kind',
              header: words.kind,
              cell: ({ kind }) => words.kinds[kind],
              order: ({ kind }) => words.kinds[kind],
            },
            { id: 'who', header: words.who, cell: whoIs, order: whoIs },
            {
              id: 'since',
              header: words.since,
              cell: ({ since }) => <RunningTime from={since} to={null} />,
              order: ({ since }) => since,
            },
            {
              id: 'left',
              header: words.left,
              cell: ({ until }) => <TimeLeft until={until} />,
              order: ({ until }) => until,
            },
          ]}
        />
      )}
    </Panel>
  );
}

function wantedBy({ wants: { udid, platform, tags } }: Waiting, devices: readonly Device[]): string {
  const { anyPhone, anyOf } = texts.devices.queue;
  if (udid !== null) return namesOf(devices).get(udid) ?? udid;
  const conditions = [...(platform === null ? [] : [platform]), ...tags];
  return conditions.length === 0 ? anyPhone : anyOf(conditions.join(', '));
}

function whoIs({ own, owner }: Waiting): string {
  const { you, someoneElse } = texts.devices.queue;
  return own ? you : (owner?.email ?? someoneElse);
}

function keyOf({ since, until, place, kind }: Waiting): string {
  return `${since} ${until} ${place} ${kind}`;
}
