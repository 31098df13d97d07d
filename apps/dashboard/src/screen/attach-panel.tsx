import { useState } from 'preact/hooks';
import { type Answer, call } from '../api/client.ts';
import { useAction } from '../api/use-action.ts';
import { useResource } from '../api/use-resource.ts';
import { texts } from '../texts/en.ts';
import {
  Button,
  ConfirmButton,
  Panel,
  Problem,
  ResourceView,
  SecretOnce,
  TimeText,
  toast,
} from '../ui/index.ts';
import { InspectorMissing, makeAddress, openInspector } from './inspector.tsx';

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
  const inspect = useAction(() => openInspector(async () => id).finally(addresses.reload));
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
      {inspector.value?.features.inspector === false && <InspectorMissing />}
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
      <ConfirmButton
        label={words.end}
        title={words.endTitle}
        text={words.endText}
        onConfirm={async () => {
          await call('endAttachment', { params: { id: session, attachId } });
          toast(words.ended);
          reload();
        }}
      />
    </li>
  );
}

async function load(id: string): Promise<Address[]> {
  const list = await call('listAttachments', { params: { id } });
  return Promise.all(list.map(({ attachId }) => call('getAttachment', { params: { id, attachId } })));
}
