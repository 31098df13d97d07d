import { type Answer, call } from '../../api/client.ts';
import { useAction } from '../../api/use-action.ts';
import { useResource } from '../../api/use-resource.ts';
import { texts } from '../../texts/en.ts';
import {
  Badge,
  Button,
  type Column,
  Dialog,
  EmptyState,
  Problem,
  ResourceTable,
  TimeAgo,
  type Tone,
  timeColumn,
  toast,
} from '../../ui/index.ts';
import type { Webhook } from './webhook-form.tsx';
import { outcomeText } from './webhook-outcome.ts';

type Delivery = Answer<'listDeliveries'>[number];

const words = texts.webhooks.deliveries;
const TONES: Readonly<Record<Delivery['state'], Tone>> = {
  waiting: 'plain',
  delivered: 'good',
  failed: 'bad',
};

interface WebhookDeliveriesProps {
  webhook: Webhook | undefined;
  /** Called after an event was sent again. */
  onSent: () => void;
  onClose: () => void;
}

/** Dialog with the last deliveries of a webhook. The user can send a finished delivery again. */
export function WebhookDeliveries({ webhook, onSent, onClose }: WebhookDeliveriesProps) {
  return (
    <Dialog open={webhook !== undefined} wide title={words.title} onClose={onClose}>
      {webhook !== undefined && <List webhook={webhook} onSent={onSent} />}
    </Dialog>
  );
}

function List({ webhook, onSent }: { webhook: Webhook; onSent: () => void }) {
  const params = { id: webhook.id };
  const deliveries = useResource((signal) => call('listDeliveries', { params, signal }));
  const sent = () => {
    deliveries.reload();
    onSent();
  };
  return (
    <>
      <p class="breaks soft">{webhook.url ?? texts.webhooks.noAddress}</p>
      <ResourceTable
        label={words.title}
        resource={deliveries}
        columns={columns(webhook, sent)}
        rowKey={({ id }) => id}
        empty={<EmptyState title={words.empty} text={words.emptyText} />}
      />
      <div class="form-actions">
        <Button onClick={deliveries.reload}>{words.refresh}</Button>
      </div>
    </>
  );
}

function columns(webhook: Webhook, onSent: () => void): readonly Column<Delivery>[] {
  const headers = words.columns;
  return [
    {
      id: 'event',
      header: headers.event,
      cell: ({ event, summary }) => (
        <span class="two-lines">
          <span class="breaks">{summary}</span>
          <code class="soft">{event}</code>
        </span>
      ),
      order: ({ event }) => event,
    },
    timeColumn('at', headers.at, ({ createdAt }) => createdAt, '8rem'),
    {
      id: 'state',
      header: headers.state,
      cell: (delivery) => <State delivery={delivery} />,
      order: ({ state }) => words.states[state],
    },
    {
      id: 'actions',
      header: headers.actions,
      cell: (delivery) => <SendAgain webhook={webhook} delivery={delivery} onSent={onSent} />,
    },
  ];
}

function State({ delivery }: { delivery: Delivery }) {
  const { state, tries, lastTryAt, nextTryAt } = delivery;
  return (
    <span class="two-lines">
      <span>
        <Badge tone={TONES[state]}>{words.states[state]}</Badge> {lastTryAt !== null && outcomeText(delivery)}
      </span>
      <span class="soft">
        {words.tries(tries)}
        {nextTryAt !== null && tries > 0 && (
          <>
            {' '}
            {words.nextTry} <TimeAgo at={nextTryAt} />
          </>
        )}
      </span>
    </span>
  );
}

interface SendAgainProps {
  webhook: Webhook;
  delivery: Delivery;
  onSent: () => void;
}

/**
 * Shows the button that sends a finished delivery again. Shows no button if the delivery is waiting, because it will be
 * sent automatically, or if the webhook is paused.
 */
function SendAgain({ webhook, delivery, onSent }: SendAgainProps) {
  const { id, summary, state } = delivery;
  const send = useAction(async () => {
    await call('resendDelivery', { params: { id: webhook.id, deliveryId: id } });
    toast(words.sent);
    onSent();
  });
  if (state === 'waiting') return null;
  if (webhook.paused) return <span class="soft">{words.paused}</span>;
  return (
    <>
      <Button busy={send.isBusy} aria-label={words.sendWhat(summary)} onClick={send.run}>
        {words.send}
      </Button>
      <Problem text={send.problem} />
    </>
  );
}
