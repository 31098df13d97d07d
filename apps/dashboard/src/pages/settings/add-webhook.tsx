import { ApiError } from '../../api/api-error.ts';
import { type Answer, call } from '../../api/client.ts';
import { useAction } from '../../api/use-action.ts';
import { texts } from '../../texts/en.ts';
import {
  Button,
  Choices,
  Field,
  Form,
  MakeDialog,
  Problem,
  SecretOnce,
  toast,
  useFields,
} from '../../ui/index.ts';
import { outcomeText } from './webhook-outcome.ts';

type Made = Answer<'createWebhook'>;
type EventName = Made['events'][number];

const EVENTS: readonly EventName[] = ['session_failed', 'device_offline', 'device_new'];

interface AddWebhookProps {
  open: boolean;
  onAdded: () => void;
  onClose: () => void;
}

/** Shows the form for a new webhook, and then its signing secret, which is shown only once. */
export function AddWebhook({ open, onAdded, onClose }: AddWebhookProps) {
  return (
    <MakeDialog<Made>
      open={open}
      title={texts.webhooks.addTitle}
      madeTitle={() => texts.webhooks.added}
      form={({ made }) => <WebhookForm onMade={made} />}
      onMade={onAdded}
      onClose={onClose}
    >
      {({ secret }) => (
        <>
          <SecretOnce label={texts.webhooks.secret} value={secret} />
          <p>{texts.webhooks.secretText}</p>
        </>
      )}
    </MakeDialog>
  );
}

interface WebhookFields {
  url: string;
  events: ReadonlySet<EventName>;
}

const FIRST: WebhookFields = { url: '', events: new Set(['session_failed']) };

function problemsOf(error: unknown): { url: string } | undefined {
  if (!(error instanceof ApiError) || error.code !== 'invalid_url') return undefined;
  return { url: error.message || texts.webhooks.urlWrong };
}

function WebhookForm({ onMade }: { onMade: (webhook: Made) => void }) {
  const { values, text, set, submit } = useFields(FIRST, problemsOf);
  const add = submit(async ({ url, events }) => {
    if (events.size === 0) throw texts.webhooks.noEvent;
    onMade(await call('createWebhook', { body: { url: url.trim(), events: [...events] } }));
  });
  const options = EVENTS.map((event) => ({
    value: event,
    label: event,
    hint: texts.webhooks.eventHints[event],
  }));
  return (
    <Form submitLabel={texts.webhooks.add} actions={<TestAddress url={values.url.trim()} />} onSubmit={add}>
      <Field
        label={texts.webhooks.url}
        hint={texts.webhooks.urlHint}
        type="url"
        required
        maxLength={2000}
        autoComplete="off"
        {...text('url')}
      />
      <fieldset class="choices">
        <legend>{texts.webhooks.events}</legend>
        <Choices options={options} chosen={values.events} onChange={set('events')} />
      </fieldset>
    </Form>
  );
}

/** Sends a test event to an address before the webhook is saved. */
function TestAddress({ url }: { url: string }) {
  const test = useAction(async () => {
    const answer = await call('testWebhook', { body: { url } });
    if (!answer.delivered) throw texts.webhooks.notDelivered(outcomeText(answer));
    toast(texts.webhooks.delivered(answer.status));
  });
  return (
    <>
      <Button busy={test.isBusy} disabled={url === ''} onClick={test.run}>
        {texts.webhooks.test}
      </Button>
      <Problem text={test.problem} />
    </>
  );
}
