import { useState } from 'preact/hooks';
import { call } from '../../api/client.ts';
import { useResource } from '../../api/use-resource.ts';
import { texts } from '../../texts/en.ts';
import { Breakable } from '../../ui/breakable.tsx';
import {
  Badge,
  type Column,
  Dialog,
  EmptyState,
  Panel,
  ResourceTable,
  TimeAgo,
  toast,
  useConfirm,
} from '../../ui/index.ts';
import { AddWebhook } from './add-webhook.tsx';
import { addressOf, type OpenDialog, WebhookActions, type WebhookActionsProps } from './webhook-actions.tsx';
import { WebhookDeliveries } from './webhook-deliveries.tsx';
import { type Webhook, WebhookForm } from './webhook-form.tsx';
import { outcomeText } from './webhook-outcome.ts';

/** Shows the webhooks of the lab, and lets an Admin create, change, pause, test and delete them. */
export function Webhooks() {
  const webhooks = useResource((signal) => call('listWebhooks', { signal }));
  const [opened, setOpened] = useState<OpenDialog>();
  const close = () => setOpened(undefined);
  const openedAs = (kind: OpenDialog['kind']) => (opened?.kind === kind ? opened.webhook : undefined);
  const [dialog, askToRemove] = useConfirm((webhook: Webhook) => ({
    title: texts.webhooks.removeTitle,
    text: texts.webhooks.removeText(addressOf(webhook)),
    confirmLabel: texts.webhooks.remove,
    onConfirm: async () => {
      await call('deleteWebhook', { params: { id: webhook.id } });
      toast(texts.webhooks.removed);
      webhooks.reload();
    },
  }));
  return (
    <Panel
      title={texts.webhooks.list}
      lead={texts.webhooks.lead}
      actions={<AddWebhook onAdded={webhooks.reload} />}
    >
      <ResourceTable
        label={texts.webhooks.list}
        resource={webhooks}
        columns={columns({ onOpen: setOpened, onRemove: askToRemove, onChanged: webhooks.reload })}
        rowKey={({ id }) => id}
        empty={<EmptyState title={texts.webhooks.empty} text={texts.webhooks.emptyText} />}
      />
      <ChangeWebhook webhook={openedAs('change')} onChanged={webhooks.reload} onClose={close} />
      <WebhookDeliveries webhook={openedAs('deliveries')} onSent={webhooks.reload} onClose={close} />
      {dialog}
    </Panel>
  );
}

interface ChangeWebhookProps {
  webhook: Webhook | undefined;
  onChanged: () => void;
  onClose: () => void;
}

function ChangeWebhook({ webhook, onChanged, onClose }: ChangeWebhookProps) {
  return (
    <Dialog open={webhook !== undefined} title={texts.webhooks.changeTitle} onClose={onClose}>
      {webhook !== undefined && (
        <WebhookForm
          webhook={webhook}
          submitLabel={texts.common.save}
          onSubmit={async (body) => {
            await call('changeWebhook', { params: { id: webhook.id }, body });
            toast(texts.webhooks.changed);
            onChanged();
            onClose();
          }}
        />
      )}
    </Dialog>
  );
}

function columns(actions: Omit<WebhookActionsProps, 'webhook'>): readonly Column<Webhook>[] {
  const headers = texts.webhooks.columns;
  return [
    {
      id: 'url',
      header: headers.url,
      cell: (webhook) => (
        <span class="two-lines">
          <span class="breaks three-lines">
            <Breakable text={addressOf(webhook)} />
          </span>
          <span class="soft">{texts.webhooks.formats[webhook.format]}</span>
        </span>
      ),
      order: addressOf,
    },
    { id: 'events', header: headers.events, cell: (webhook) => <Events webhook={webhook} />, width: '15rem' },
    {
      id: 'last',
      header: headers.last,
      cell: (webhook) => <LastDelivery webhook={webhook} />,
      order: ({ lastDelivery }) => lastDelivery?.at ?? null,
    },
    {
      id: 'actions',
      header: headers.actions,
      cell: (webhook) => <WebhookActions webhook={webhook} {...actions} />,
    },
  ];
}

function Events({ webhook: { events, teamId, tag } }: { webhook: Webhook }) {
  const filters = [
    teamId === null ? '' : texts.webhooks.ofTeam,
    tag === null ? '' : texts.webhooks.withTag(tag),
  ];
  const text = filters.filter((each) => each !== '').join(', ');
  return (
    <span class="two-lines">
      <span>
        <Breakable text={events.join(', ')} />
      </span>
      {text !== '' && <span class="soft breaks">{text}</span>}
    </span>
  );
}

function LastDelivery({ webhook: { lastDelivery: last, pending, paused } }: { webhook: Webhook }) {
  const isGood = last?.status != null && last.status < 300;
  return (
    <span class="two-lines">
      {paused && (
        <span>
          <Badge tone="plain">{texts.webhooks.isPaused}</Badge>
        </span>
      )}
      {last === null ? (
        <span class="soft">{texts.common.never}</span>
      ) : (
        <>
          <span>
            <Badge tone={isGood ? 'good' : 'bad'}>{outcomeText(last)}</Badge>
          </span>
          <span class="soft">
            <TimeAgo at={last.at} />
          </span>
        </>
      )}
      {pending > 0 && <span class="soft">{texts.webhooks.waiting(pending)}</span>}
    </span>
  );
}
