import { useState } from 'preact/hooks';
import { pageAddress } from '../../api/addresses.ts';
import { type Answer, call } from '../../api/client.ts';
import { deviceAddress } from '../../api/record-addresses.ts';
import { texts } from '../../texts/en.ts';
import { DataTable, EmptyState, Form, PageHeader, Panel, TextAreaField } from '../../ui/index.ts';

type Matches = Answer<'matchDevices'>;

const words = texts.match;
const SECRETS = new Set(['accessKey', 'token', 'sessionToken', 'leaseToken']);

/** Shows which phones fit capabilities that a person pastes, and why the others do not fit (contract 14.4). */
export function MatchPage() {
  const [matches, setMatches] = useState<Matches>();
  const find = async (form: HTMLFormElement) => {
    const pasted = String(new FormData(form).get('capabilities') ?? '');
    setMatches(await call('matchDevices', { body: { capabilities: capabilitiesOf(pasted) } }));
  };
  return (
    <>
      <p class="back">
        <a href={pageAddress('devices')}>{texts.devices.back}</a>
      </p>
      <PageHeader title={words.title} lead={words.lead} />
      <Form submitLabel={words.submit} onSubmit={find}>
        <TextAreaField
          label={words.capabilities}
          hint={words.hint}
          name="capabilities"
          rows={10}
          required
          spellcheck={false}
        />
      </Form>
      {matches !== undefined && <Tables {...matches} />}
    </>
  );
}

function Tables({ fits, others }: Matches) {
  const phone = ({ udid, name }: { udid: string; name: string }) => <a href={deviceAddress(udid)}>{name}</a>;
  return (
    <div role="status">
      {fits.length === 0 ? (
        <EmptyState {...words.noneFits} />
      ) : (
        <Panel title={words.fits}>
          <DataTable
            label={words.fits}
            rows={fits}
            rowKey={({ udid }) => udid}
            columns={[
              { id: 'phone', header: words.phone, cell: phone, order: ({ name }) => name },
              {
                id: 'status',
                header: words.status,
                cell: ({ status }) => texts.devices.statuses[status],
                order: ({ status }) => texts.devices.statuses[status],
              },
            ]}
          />
        </Panel>
      )}
      {others.length > 0 && (
        <Panel title={words.others}>
          <DataTable
            label={words.others}
            rows={others}
            rowKey={({ udid }) => udid}
            columns={[
              { id: 'phone', header: words.phone, cell: phone, order: ({ name }) => name },
              {
                id: 'why',
                header: words.why,
                cell: ({ why }) =>
                  why.map(({ capability, wanted, has }) => (
                    <div key={capability}>{words.mismatch(capability, wanted, has)}</div>
                  )),
              },
            ]}
          />
        </Panel>
      )}
    </div>
  );
}

/** Parses pasted JSON, and removes secrets before it is sent. Throws a text for the form if it is no JSON object. */
function capabilitiesOf(pasted: string): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(pasted, (name, value) => (SECRETS.has(name) ? undefined : value));
    const given = (parsed as { capabilities?: unknown } | null)?.capabilities ?? parsed;
    if (typeof given === 'object' && given !== null && !Array.isArray(given))
      return given as Record<string, unknown>;
  } catch {
    // The text is no JSON.
  }
  throw words.notJson;
}
