import { useState } from 'preact/hooks';
import { type Answer, call } from '../../api/client.ts';
import { useAction } from '../../api/use-action.ts';
import { useResource } from '../../api/use-resource.ts';
import { texts } from '../../texts/en.ts';
import {
  Badge,
  Button,
  type Column,
  ConfirmDialog,
  DataTable,
  EmptyState,
  Panel,
  Problem,
  ResourceView,
  TimeText,
  toast,
} from '../../ui/index.ts';
import { AddWebhook } from './add-webhook.tsx';
import { outcomeText } from './webhook-outcome.ts';

type Webhook = Answer<'listWebhooks'>[number];

export function Webhooks() {
  const webhooks = useResource((signal) => call('listWebhooks', { signal }));
  const [isAdding, setAdding] = useState(false);
  const [removed, setRemoved] = useState<Webhook>();
  const remove = async ({ id }: Webhook) => {
    await call('deleteWebhook', { params: { id } });
    toast(texts.webhooks.removed);
    webhooks.reload();
  };
  return (
    <Panel
      title={texts.webhooks.list}
      lead={texts.webhooks.lead}
      actions={
        <Button kind="primary" onClick={() => setAdding(true)}>
          {texts.webhooks.add}
        </Button>
      }
    >
      <ResourceView resource={webhooks}>
        {(list) => (
          <DataTable
            label={texts.webhooks.list}
            rows={list}
            columns={columns(setRemoved)}
            rowKey={({ id }) => id}
            empty={<EmptyState title={texts.webhooks.empty} text={texts.webhooks.emptyText} />}
          />
        )}
      </ResourceView>
      <AddWebhook open={isAdding} onAdded={webhooks.reload} onClose={() => setAdding(false)} />
      <ConfirmDialog
        open={removed !== undefined}
        title={texts.webhooks.removeTitle}
        text={texts.webhooks.removeText(urlOf(removed))}
        confirmLabel={texts.webhooks.remove}
        danger
        onConfirm={async () => removed !== undefined && remove(removed)}
        onClose={() => setRemoved(undefined)}
      />
    </Panel>
  );
}

function urlOf(webhook: Webhook | undefined): string {
  return webhook?.url ?? texts.webhooks.noAddress;
}

function columns(onRemove: (webhook: Webhook) => void): readonly Column<Webhook>[] {
  const headers = texts.webhooks.columns;
  return [
    { id: 'url', header: headers.url, cell: (webhook) => <span class="breaks">{urlOf(webhook)}</span> },
    { id: 'events', header: headers.events, cell: ({ events }) => events.join(', ') },
    { id: 'last', header: headers.last, cell: ({ lastDelivery }) => <LastDelivery last={lastDelivery} /> },
    { id: 'pending', header: headers.pending, cell: ({ pending }) => pending, width: '6rem' },
    {
      id: 'actions',
      header: headers.actions,
      cell: (webhook) => (
        <span class="button-row">
          <TestWebhook webhook={webhook} />
          <Button aria-label={texts.webhooks.removeWhat(urlOf(webhook))} onClick={() => onRemove(webhook)}>
            {texts.webhooks.remove}
          </Button>
        </span>
      ),
    },
  ];
}

function LastDelivery({ last }: { last: Webhook['lastDelivery'] }) {
  if (last === null) return <span class="soft">{texts.common.never}</span>;
  const isGood = last.status !== null && last.status < 300;
  return (
    <span class="two-lines">
      <Badge tone={isGood ? 'good' : 'bad'}>{outcomeText(last)}</Badge>
      <span class="soft">
        <TimeText at={last.at} />
      </span>
    </span>
  );
}

function TestWebhook({ webhook }: { webhook: Webhook }) {
  const test = useAction(async () => {
    const answer = await call('testWebhook', { body: { id: webhook.id } });
    if (!answer.delivered) throw texts.webhooks.notDelivered(outcomeText(answer));
    toast(texts.webhooks.delivered(answer.status));
  });
  return (
    <>
      <Button busy={test.isBusy} aria-label={texts.webhooks.testWhat(urlOf(webhook))} onClick={test.run}>
        {texts.webhooks.test}
      </Button>
      <Problem text={test.problem} />
    </>
  );
}
