import { useState } from 'preact/hooks';
import { ApiError } from '../../api/api-error.ts';
import { type Answer, call } from '../../api/client.ts';
import { useAction } from '../../api/use-action.ts';
import { useResource } from '../../api/use-resource.ts';
import { texts } from '../../texts/en.ts';
import { Button, Field, Form, Panel, Problem, ResourceView, SecretOnce, TimeText } from '../../ui/index.ts';

type Link = Answer<'listWatchLinks'>[number];
type Spectator = Link['watching'][number];

/** Shows the screen of a phone that the caller holds to others, and who watches. Renders nothing for other phones. */
export function SpectatorsPanel({ udid }: { udid: string }) {
  const links = useResource(() => load(udid), [udid]);
  const [made, setMade] = useState<string>();
  const words = texts.devices.spectators;
  if (links.value === undefined || links.value === null) return null;
  const share = async (body: { for: 'account' | 'anyone'; account?: string }) => {
    setMade((await call('createWatchLink', { params: { udid }, body })).url);
    links.reload();
  };
  return (
    <Panel title={words.title} lead={words.lead}>
      <Form
        submitLabel={words.share}
        onSubmit={async (form) => {
          const account = String(new FormData(form).get('account') ?? '').trim();
          await share(account === '' ? { for: 'anyone' } : { for: 'account', account });
        }}
      >
        <Field label={words.account} name="account" hint={words.hint} />
      </Form>
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

interface RowProps {
  udid: string;
  link: Link;
  reload(): void;
}

function LinkRow({ udid, link, reload }: RowProps) {
  const words = texts.devices.spectators;
  const { watchId } = link;
  const end = useAction(async () => {
    await call('endWatchLink', { params: { udid, watchId } });
    reload();
  });
  return (
    <li>
      {words.kinds[link.for]} <TimeText at={link.expiresAt} />{' '}
      <Button kind="danger" onClick={end.run} disabled={end.isBusy}>
        {words.end}
      </Button>
      <Problem text={end.problem} />
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
