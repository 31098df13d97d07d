import { useState } from 'preact/hooks';
import { SITE } from '../api/addresses.ts';
import { type Answer, call } from '../api/client.ts';
import { useAction } from '../api/use-action.ts';
import { useResource } from '../api/use-resource.ts';
import { texts } from '../texts/en.ts';
import { Button, Panel, Problem, ResourceView, SecretOnce, TimeText, toast } from '../ui/index.ts';

const MINUTES = 30;

type Address = Answer<'getAttachment'>;

/** Gives a running session to somebody else for some minutes, and opens it in Appium Inspector (contract 15). */
export function AttachPanel({ id }: { id: string }) {
  const addresses = useResource(() => load(id), [id]);
  const inspector = useResource(() => call('capabilities'), []);
  const [made, setMade] = useState<string>();
  const words = texts.sessions.attach;
  const give = useAction(async () => {
    setMade((await makeAddress(id)).url);
    addresses.reload();
  });
  const inspect = useAction(() => openInspector(id).finally(addresses.reload));
  return (
    <Panel
      title={words.title}
      lead={words.lead}
      actions={
        <>
          {inspector.value?.features.inspector === true && (
            <Button onClick={inspect.run} disabled={inspect.isBusy}>
              {words.inspector}
            </Button>
          )}
          <Button onClick={give.run} disabled={give.isBusy}>
            {words.give}
          </Button>
        </>
      }
    >
      <Problem text={give.problem ?? inspect.problem} />
      {inspector.value?.features.inspector === false && (
        <p class="hint">
          {words.notInstalled} <code>appium plugin install --source=npm appium-inspector-plugin</code>
        </p>
      )}
      {made !== undefined && <SecretOnce label={words.address} value={made} />}
      <ResourceView resource={addresses}>
        {(list) => (
          <ul class="plain-list">
            {list.map((address) => (
              <Row key={address.attachId} session={id} address={address} reload={addresses.reload} />
            ))}
          </ul>
        )}
      </ResourceView>
    </Panel>
  );
}

function Row({ session, address, reload }: { session: string; address: Address; reload(): void }) {
  const words = texts.sessions.attach;
  const { attachId, expiresAt, lastUsedAt, lastUsedBy } = address;
  const end = useAction(async () => {
    await call('endAttachment', { params: { id: session, attachId } });
    toast(words.ended);
    reload();
  });
  return (
    <li>
      <span>
        {words.until} <TimeText at={expiresAt} />
      </span>{' '}
      <span>
        {lastUsedAt === null ? (
          words.unused
        ) : (
          <>
            {words.lastUsed} <TimeText at={lastUsedAt} />{' '}
            {words.by(lastUsedBy?.address, lastUsedBy?.userAgent)}
          </>
        )}
      </span>{' '}
      <Button kind="danger" onClick={end.run} disabled={end.isBusy}>
        {words.end}
      </Button>
      <Problem text={end.problem} />
    </li>
  );
}

async function load(id: string): Promise<Address[]> {
  const list = await call('listAttachments', { params: { id } });
  return Promise.all(list.map(({ attachId }) => call('getAttachment', { params: { id, attachId } })));
}

function makeAddress(id: string) {
  return call('createAttachment', { params: { id }, body: { minutes: MINUTES } });
}

/**
 * Opens Appium Inspector in a new tab on a new attach address. The tab is opened before the address is made, because
 * browsers allow a page to open a tab only while they handle the click.
 */
async function openInspector(id: string): Promise<void> {
  const tab = window.open('', '_blank');
  try {
    const { url } = await makeAddress(id);
    const address = inspectorAddress(url, id);
    if (tab === null) location.assign(address);
    else {
      tab.opener = null;
      tab.location.href = address;
    }
  } catch (error) {
    tab?.close();
    throw error;
  }
}

/** Address of Inspector's page, which attaches to the session immediately. */
function inspectorAddress(url: string, id: string): string {
  const { pathname } = new URL(url);
  const { hostname, port, protocol } = new URL(SITE);
  const ssl = protocol === 'https:';
  // A reverse proxy may serve this server below a longer path.
  const path = new URL(SITE).pathname.replace(/\/svc\/$/, '') + pathname;
  const remote = { hostname, port: Number(port) || (ssl ? 443 : 80), path, ssl };
  const state = JSON.stringify({ server: { remote }, serverType: 'remote', attachSessId: id });
  return `${SITE}inspector/?state=${encodeURIComponent(state)}&autoStart=1`;
}
