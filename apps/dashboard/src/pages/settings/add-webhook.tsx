import { useState } from 'preact/hooks';
import { ApiError } from '../../api/api-error.ts';
import { type Answer, call } from '../../api/client.ts';
import { useAction } from '../../api/use-action.ts';
import { texts } from '../../texts/en.ts';
import { Button, CheckField, Dialog, Field, Form, Problem, SecretOnce, toast } from '../../ui/index.ts';
import { outcomeText } from './webhook-outcome.ts';

type Made = Answer<'createWebhook'>;
type EventName = Made['events'][number];

const EVENTS: readonly EventName[] = ['session_failed', 'device_offline', 'device_new'];

interface AddWebhookProps {
  open: boolean;
  onAdded: () => void;
  onClose: () => void;
}

/** A form, and then the signing secret, once. */
export function AddWebhook({ open, onAdded, onClose }: AddWebhookProps) {
  const [made, setMade] = useState<Made>();
  const close = () => {
    setMade(undefined);
    onClose();
  };
  return (
    <Dialog
      open={open}
      title={made === undefined ? texts.webhooks.addTitle : texts.webhooks.added}
      stays={made !== undefined}
      onClose={close}
    >
      {made === undefined ? (
        <WebhookForm
          onMade={(webhook) => {
            setMade(webhook);
            onAdded();
          }}
        />
      ) : (
        <>
          <SecretOnce label={texts.webhooks.secret} value={made.secret} />
          <p>{texts.webhooks.secretText}</p>
          <div class="form-actions">
            <Button kind="primary" onClick={close}>
              {texts.common.done}
            </Button>
          </div>
        </>
      )}
    </Dialog>
  );
}

function WebhookForm({ onMade }: { onMade: (webhook: Made) => void }) {
  const [url, setUrl] = useState('');
  const [events, setEvents] = useState<ReadonlySet<EventName>>(new Set(['session_failed']));
  const [problem, setProblem] = useState<string>();
  const submit = async () => {
    setProblem(undefined);
    if (events.size === 0) throw texts.webhooks.noEvent;
    try {
      onMade(await call('createWebhook', { body: { url: url.trim(), events: [...events] } }));
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'invalid_url') throw error;
      setProblem(error.message || texts.webhooks.urlWrong);
    }
  };
  const toggle = (event: EventName, isIn: boolean) => {
    const next = new Set(events);
    if (isIn) next.add(event);
    else next.delete(event);
    setEvents(next);
  };
  return (
    <Form submitLabel={texts.webhooks.add} actions={<TestAddress url={url.trim()} />} onSubmit={submit}>
      <Field
        label={texts.webhooks.url}
        hint={texts.webhooks.urlHint}
        type="url"
        required
        maxLength={2000}
        autoComplete="off"
        value={url}
        error={problem}
        onInput={(event) => setUrl(event.currentTarget.value)}
      />
      <fieldset class="choices">
        <legend>{texts.webhooks.events}</legend>
        {EVENTS.map((event) => (
          <CheckField
            key={event}
            label={event}
            hint={texts.webhooks.eventHints[event]}
            checked={events.has(event)}
            onChange={(change) => toggle(event, change.currentTarget.checked)}
          />
        ))}
      </fieldset>
    </Form>
  );
}

/** Before it is saved. */
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
