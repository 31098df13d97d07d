import { ApiError } from '../../api/api-error.ts';
import { type Answer, call } from '../../api/client.ts';
import { useAction } from '../../api/use-action.ts';
import { useResource } from '../../api/use-resource.ts';
import { texts } from '../../texts/en.ts';
import { Button, Choices, Field, Form, Problem, SelectField, toast, useFields } from '../../ui/index.ts';
import { outcomeText } from './webhook-outcome.ts';

export type Webhook = Answer<'listWebhooks'>[number];
type EventName = Webhook['events'][number];
type Format = Webhook['format'];

const EVENTS = Object.keys(texts.webhooks.eventHints) as readonly EventName[];
const FORMATS = Object.keys(texts.webhooks.formats) as readonly Format[];

/** Fields of the form. An empty team or tag means that the webhook reports events of all teams or tags. */
interface WebhookFields {
  url: string;
  format: Format;
  teamId: string;
  tag: string;
  events: ReadonlySet<EventName>;
}

/** Body of a request that creates or changes a webhook. */
interface WebhookBody {
  url: string;
  format: Format;
  teamId: string | null;
  tag: string | null;
  events: EventName[];
}

interface WebhookFormProps {
  /** The webhook to change. Absent if the form creates one. */
  webhook?: Webhook;
  submitLabel: string;
  onSubmit: (body: WebhookBody) => Promise<unknown>;
}

function fieldsOf(webhook: Webhook | undefined): WebhookFields {
  return {
    url: webhook?.url ?? '',
    format: webhook?.format ?? 'svc',
    teamId: webhook?.teamId ?? '',
    tag: webhook?.tag ?? '',
    events: new Set(webhook?.events ?? ['session_failed']),
  };
}

function problemsOf(error: unknown): { url: string } | undefined {
  if (!(error instanceof ApiError) || error.code !== 'invalid_url') return undefined;
  return { url: error.message || texts.webhooks.urlWrong };
}

export function WebhookForm({ webhook, submitLabel, onSubmit }: WebhookFormProps) {
  const { values, text, set, submit } = useFields(fieldsOf(webhook), problemsOf);
  const save = submit(async ({ url, format, teamId, tag, events }) => {
    if (events.size === 0) throw texts.webhooks.noEvent;
    const filters = { teamId: teamId || null, tag: tag.trim() || null };
    await onSubmit({ url: url.trim(), format, ...filters, events: [...events] });
  });
  const formats = FORMATS.map((value) => ({ value, label: texts.webhooks.formats[value] }));
  const events = EVENTS.map((value) => ({ value, label: value, hint: texts.webhooks.eventHints[value] }));
  const test = <TestAddress url={values.url.trim()} format={values.format} />;
  return (
    <Form submitLabel={submitLabel} actions={test} onSubmit={save}>
      <Field
        label={texts.webhooks.url}
        hint={texts.webhooks.urlHints[values.format]}
        type="url"
        required
        maxLength={2000}
        autoComplete="off"
        {...text('url')}
      />
      <SelectField label={texts.webhooks.format} options={formats} {...text('format')} />
      <fieldset class="choices">
        <legend>{texts.webhooks.events}</legend>
        <Choices options={events} chosen={values.events} onChange={set('events')} />
      </fieldset>
      <TeamFilter {...text('teamId')} />
      <Field
        label={texts.webhooks.tag}
        hint={texts.webhooks.tagHint}
        maxLength={64}
        autoComplete="off"
        {...text('tag')}
      />
    </Form>
  );
}

interface TeamFilterProps {
  value: string;
  onInput: (event: { readonly currentTarget: { readonly value: string } }) => void;
}

/**
 * Select field for the team. A deleted team stays an option while it is chosen, so that the field shows what is stored.
 */
function TeamFilter({ value, onInput }: TeamFilterProps) {
  const teams = useResource((signal) => call('listTeams', { signal }));
  const known = (teams.value ?? []).map(({ id, name }) => ({ value: id, label: name }));
  const isKnown = value === '' || known.some((team) => team.value === value);
  const deleted = isKnown ? [] : [{ value, label: texts.webhooks.otherTeam }];
  const options = [{ value: '', label: texts.webhooks.allTeams }, ...known, ...deleted];
  return (
    <SelectField
      label={texts.webhooks.team}
      hint={texts.webhooks.teamHint}
      options={options}
      value={value}
      onInput={onInput}
    />
  );
}

/** Sends a test event to the address in the form, so that the user can test the address before saving the webhook. */
function TestAddress({ url, format }: { url: string; format: Format }) {
  const test = useAction(async () => {
    const answer = await call('testWebhook', { body: { url, format } });
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
