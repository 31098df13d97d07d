import { useEffect } from 'preact/hooks';
import { type Answer, call } from '../../api/client.ts';
import { useAction } from '../../api/use-action.ts';
import { useResource } from '../../api/use-resource.ts';
import { texts } from '../../texts/en.ts';
import { Button, CodeBlock, Panel, Problem, ResourceTable, TimeAgo } from '../../ui/index.ts';
import { bytesText } from './bytes-text.ts';

type Use = Answer<'listAdbUses'>[number];

/** Time after which the page asks again who is connected, in milliseconds. Connections cause no live event. */
const ASK_MS = 5_000;

/** Shows how to use a phone from one's own machine, who does so now, and lets the user cut them (contract 16). */
export function AdbPanel({ udid }: { udid: string }) {
  const uses = useResource(() => call('listAdbUses', { params: { udid } }), [udid]);
  useEffect(() => {
    const timer = setInterval(() => document.hidden || uses.reload(), ASK_MS);
    return () => clearInterval(timer);
  }, [uses.reload]);
  const words = texts.devices.adb;
  return (
    <Panel title={words.title} lead={words.lead}>
      <CodeBlock label={words.command} text={`svc adb ${udid} --connect`} />
      <ResourceTable
        label={words.connected}
        resource={uses}
        rowKey={({ id }) => id}
        empty={<p class="soft">{words.none}</p>}
        columns={columnsOf(udid, uses.reload)}
      />
    </Panel>
  );
}

function columnsOf(udid: string, reload: () => void) {
  const words = texts.devices.adb;
  return [
    {
      id: 'who',
      header: words.who,
      cell: ({ owner }: Use) => owner.email,
      order: ({ owner }: Use) => owner.email,
    },
    {
      id: 'since',
      header: words.since,
      cell: ({ since }: Use) => <TimeAgo at={since} />,
      order: ({ since }: Use) => since,
    },
    {
      id: 'bytes',
      header: words.bytes,
      cell: ({ toPhone, fromPhone }: Use) => words.both(bytesText(toPhone), bytesText(fromPhone)),
    },
    {
      id: 'actions',
      header: words.actions,
      cell: (use: Use) => <Cut udid={udid} use={use} reload={reload} />,
    },
  ];
}

function Cut({ udid, use: { id, owner }, reload }: { udid: string; use: Use; reload(): void }) {
  const words = texts.devices.adb;
  const cut = useAction(async () => {
    await call('endAdbUse', { params: { udid, id } });
    reload();
  });
  return (
    <>
      <Button aria-label={words.cutOf(owner.email ?? id)} busy={cut.isBusy} onClick={cut.run}>
        {words.cut}
      </Button>
      <Problem text={cut.problem} />
    </>
  );
}
