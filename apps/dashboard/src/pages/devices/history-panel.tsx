import { pageAddress } from '../../api/addresses.ts';
import { call } from '../../api/client.ts';
import { sessionAddress } from '../../api/record-addresses.ts';
import { useResource } from '../../api/use-resource.ts';
import { useReloadOn } from '../../live/use-live.ts';
import { texts } from '../../texts/en.ts';
import { Badge, LinkButton, Panel, ResourceTable, TimeAgo } from '../../ui/index.ts';
import { RunningTime } from '../../ui/running-time.tsx';

/** Number of sessions that the page shows. */
const MOST = 8;

const TONES = { running: 'warn', ended: 'plain', passed: 'good', failed: 'bad' } as const;

/** Shows the last sessions on a phone, of those that the user may see. */
export function HistoryPanel({ udid }: { udid: string }) {
  const sessions = useResource(() => call('listSessions', { query: { udid, limit: String(MOST) } }), [udid]);
  useReloadOn(['session_started', 'session_ended'], sessions.reload);
  const words = texts.devices.history;
  return (
    <Panel
      title={words.title}
      actions={
        <LinkButton kind="quiet" href={`${pageAddress('sessions')}?${new URLSearchParams({ udid })}`}>
          {words.all}
        </LinkButton>
      }
    >
      <ResourceTable
        label={words.title}
        resource={sessions}
        rowKey={({ id }) => id}
        fixed
        empty={<p class="soft">{words.none}</p>}
        columns={[
          {
            id: 'name',
            header: words.name,
            cell: ({ id, name }) => (
              <a href={sessionAddress(id)} class="cut" title={name ?? undefined}>
                {name ?? texts.devices.facts.unnamed}
              </a>
            ),
            order: ({ name }) => name,
          },
          {
            id: 'status',
            header: words.status,
            width: '6rem',
            cell: ({ status }) => <Badge tone={TONES[status]}>{words.statuses[status]}</Badge>,
            order: ({ status }) => words.statuses[status],
          },
          {
            id: 'owner',
            header: words.owner,
            cell: ({ owner }) => (
              <span class={owner === null ? 'soft' : 'cut'} title={owner?.email}>
                {owner?.email ?? words.noOwner}
              </span>
            ),
            order: ({ owner }) => owner?.email ?? null,
          },
          {
            id: 'duration',
            header: words.duration,
            width: '6.5rem',
            cell: ({ startedAt, endedAt }) => <RunningTime from={startedAt} to={endedAt} />,
            order: ({ startedAt, endedAt }) =>
              (endedAt === null ? Date.now() : Date.parse(endedAt)) - Date.parse(startedAt),
          },
          {
            id: 'started',
            header: words.started,
            cell: ({ startedAt }) => <TimeAgo at={startedAt} />,
            order: ({ startedAt }) => startedAt,
            width: '6.5rem',
          },
        ]}
      />
    </Panel>
  );
}
