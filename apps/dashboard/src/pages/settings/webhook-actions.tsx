import { call } from '../../api/client.ts';
import { useAction } from '../../api/use-action.ts';
import { texts } from '../../texts/en.ts';
import { Button, Problem, toast } from '../../ui/index.ts';
import type { Webhook } from './webhook-form.tsx';
import { outcomeText } from './webhook-outcome.ts';

/** Dialog that is open for one webhook. */
export interface OpenDialog {
  readonly kind: 'deliveries' | 'change';
  readonly webhook: Webhook;
}

export interface WebhookActionsProps {
  webhook: Webhook;
  onOpen: (dialog: OpenDialog) => void;
  onRemove: (webhook: Webhook) => void;
  onChanged: () => void;
}

/** Returns the address of a webhook, or a text that says that the address could not be decrypted. */
export function addressOf({ url }: Webhook): string {
  return url ?? texts.webhooks.noAddress;
}

/** Buttons of one webhook. A webhook whose address cannot be decrypted can only be deleted. */
export function WebhookActions({ webhook, onOpen, onRemove, onChanged }: WebhookActionsProps) {
  const { id, url, paused } = webhook;
  const test = useAction(async () => {
    const answer = await call('testWebhook', { body: { id } });
    if (!answer.delivered) throw texts.webhooks.notDelivered(outcomeText(answer));
    toast(texts.webhooks.delivered(answer.status));
  });
  const pause = useAction(async () => {
    await call('changeWebhook', { params: { id }, body: { paused: !paused } });
    toast(paused ? texts.webhooks.resumed : texts.webhooks.paused);
    onChanged();
  });
  const address = addressOf(webhook);
  const open = (kind: OpenDialog['kind'], label: string, what: (url: string) => string) => (
    <Button aria-label={what(address)} onClick={() => onOpen({ kind, webhook })}>
      {label}
    </Button>
  );
  const words = texts.webhooks;
  return (
    <span class="button-row">
      {open('deliveries', words.deliveries.open, words.deliveries.openWhat)}
      {url !== null && (
        <>
          <Button busy={test.isBusy} aria-label={words.testWhat(address)} onClick={test.run}>
            {words.test}
          </Button>
          {open('change', words.change, words.changeWhat)}
          <Button
            busy={pause.isBusy}
            aria-label={(paused ? words.resumeWhat : words.pauseWhat)(address)}
            onClick={pause.run}
          >
            {paused ? words.resume : words.pause}
          </Button>
        </>
      )}
      <Button aria-label={words.removeWhat(address)} onClick={() => onRemove(webhook)}>
        {words.remove}
      </Button>
      <Problem text={test.problem ?? pause.problem} />
    </span>
  );
}
