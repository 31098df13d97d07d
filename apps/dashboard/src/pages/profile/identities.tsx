import { type Answer, call } from '../../api/client.ts';
import { useResource } from '../../api/use-resource.ts';
import { texts } from '../../texts/en.ts';
import { type Column, DataTable, Panel, TimeText } from '../../ui/index.ts';

const { identities: words } = texts.oidc;

const COLUMNS: readonly Column<Answer<'listIdentities'>[number]>[] = [
  { id: 'issuer', header: words.issuer, cell: ({ issuer }) => issuer },
  { id: 'subject', header: words.subject, cell: ({ subject }) => subject },
  { id: 'linked', header: words.linked, cell: ({ createdAt }) => <TimeText at={createdAt} /> },
  { id: 'used', header: words.used, cell: ({ lastSignInAt }) => <TimeText at={lastSignInAt} /> },
];

/** Lists the user's identities at OpenID providers; shows nothing if there are none. */
export function Identities() {
  const { value } = useResource((signal) => call('listIdentities', { signal }));
  if (value === undefined || value.length === 0) return null;
  return (
    <Panel title={words.title} lead={words.lead}>
      <DataTable label={words.title} rows={value} columns={COLUMNS} rowKey={({ id }) => id} />
    </Panel>
  );
}
