import { useEffect, useState } from 'preact/hooks';
import { ApiError } from '../../api/api-error.ts';
import { type Answer, call } from '../../api/client.ts';
import { caller } from '../../api/current-caller.ts';
import { useAction } from '../../api/use-action.ts';
import { useResource } from '../../api/use-resource.ts';
import { texts } from '../../texts/en.ts';
import {
  Button,
  ConfirmButton,
  Field,
  Form,
  Panel,
  Problem,
  ResourceView,
  SecretOnce,
  SelectField,
  TimeText,
} from '../../ui/index.ts';

type Link = Answer<'listWatchLinks'>[number];
type Spectator = Link['watching'][number];

const MINUTES = [10, 30, 60, 120];
/** Interval (ms) at which the panel asks who watches. */
const RELOAD_MS = 5_000;

/** Shows the screen of a phone that the caller holds to others, and who watches. Renders nothing for other phones. */
export function SpectatorsPanel({ udid }: { udid: string }) {
  const links = useResource(() => load(udid), [udid]);
  const [made, setMade] = useState<string>();
  useEffect(() => {
    const timer = setInterval(links.reload, RELOAD_MS);
    return () => clearInterval(timer);
  }, [udid]);
  const words = texts.devices.spectators;
  if (links.value === undefined || links.value === null) return null;
  return (
    <Panel title={words.title} lead={words.lead}>
      <ShareForm
        onShare={async (body) => {
          setMade((await call('createWatchLink', { params: { udid }, body })).url);
          links.reload();
        }}
      />
      {made !== undefined && <SecretOnce label={words.link} value={made} />}
      <ResourceView resource={links}>
        {(list) => (
          <ul class="plain-list">
            {(list ?? []).map((link) => (
              <LinkRow key={link.watchId} udid={udid} link={link} reload={links.reload} />
            ))}
          </ul>
        )}
      </ResourceView>
    </Panel>
  );
}

interface Wanted {
  for: Link['for'];
  account?: string;
  team?: string;
  minutes: number;
}

/** Lets the holder choose for whom and for how long. A separate component, so that a reload keeps what was chosen. */
function ShareForm({ onShare }: { onShare(wanted: Wanted): Promise<void> }) {
  const [audience, setAudience] = useState('account');
  const words = texts.devices.spectators;
  const teams = caller.value.teams.map(({ id, name }) => ({ value: id, label: words.team(name) }));
  const audiences = [
    { value: 'account', label: words.anAccount },
    ...teams,
    { value: 'anyone', label: words.anyone },
  ];
  return (
    <Form
      submitLabel={words.share}
      onSubmit={async (form) => {
        const values = new FormData(form);
        const minutes = Number(values.get('minutes'));
        if (audience === 'anyone') await onShare({ for: 'anyone', minutes });
        else if (audience !== 'account') await onShare({ for: 'team', team: audience, minutes });
        else await onShare({ for: 'account', account: String(values.get('account') ?? '').trim(), minutes });
      }}
    >
      <SelectField
        label={words.audience}
        name="audience"
        options={audiences}
        value={audience}
        onChange={({ currentTarget }) => setAudience(currentTarget.value)}
      />
      {audience === 'account' && <Field label={words.account} name="account" required />}
      <MinutesField />
    </Form>
  );
}

function MinutesField() {
  const [minutes, setMinutes] = useState('30');
  return (
    <SelectField
      label={texts.devices.spectators.minutes}
      name="minutes"
      options={MINUTES.map((each) => ({ value: String(each), label: String(each) }))}
      value={minutes}
      onChange={({ currentTarget }) => setMinutes(currentTarget.value)}
    />
  );
}

interface RowProps {
  udid: string;
  link: Link;
  reload(): void;
}

function LinkRow({ udid, link, reload }: RowProps) {
  const words = texts.devices.spectators;
  const { watchId } = link;
  return (
    <li>
      {words.kinds[link.for]} <TimeText at={link.expiresAt} />{' '}
      <ConfirmButton
        label={words.end}
        title={words.endTitle}
        text={words.endText}
        onConfirm={async () => {
          await call('endWatchLink', { params: { udid, watchId } });
          reload();
        }}
      />
      <ul class="plain-list">
        {link.watching.map((each) => (
          <SpectatorRow key={each.viewerId} {...{ udid, watchId, reload }} spectator={each} />
        ))}
      </ul>
    </li>
  );
}

interface SpectatorProps {
  udid: string;
  watchId: string;
  spectator: Spectator;
  reload(): void;
}

function SpectatorRow({ udid, watchId, spectator, reload }: SpectatorProps) {
  const words = texts.devices.spectators;
  const { viewerId, account, address, since } = spectator;
  const cut = useAction(async () => {
    await call('endSpectator', { params: { udid, watchId, viewerId } });
    reload();
  });
  return (
    <li>
      {account?.email ?? words.unknown(address)} <TimeText at={since} />{' '}
      <Button onClick={cut.run} disabled={cut.isBusy}>
        {words.cut}
      </Button>
      <Problem text={cut.problem} />
    </li>
  );
}

/** Loads the links, or null if the caller does not hold the phone. */
async function load(udid: string): Promise<Link[] | null> {
  try {
    return await call('listWatchLinks', { params: { udid } });
  } catch (error) {
    const isOthers = error instanceof ApiError && [403, 404, 409].includes(error.status);
    if (isOthers) return null;
    throw error;
  }
}
