import { type Answer, call } from '../../api/client.ts';
import { useResource } from '../../api/use-resource.ts';
import { texts } from '../../texts/en.ts';
import { Button, type Column, DataTable, Panel, timeColumn, toast, useConfirm } from '../../ui/index.ts';

const { identities: words } = texts.oidc;
type Identity = Answer<'listIdentities'>[number];

/** Lists the user's identities at OpenID providers with buttons to unlink them; shows nothing if there are none. */
export function Identities() {
  const { value, reload } = useResource((signal) => call('listIdentities', { signal }));
  const [dialog, ask] = useConfirm(({ id, issuer }: Identity) => ({
    title: words.unlinkTitle(issuer),
    text: words.unlinkText,
    confirmLabel: words.unlink,
    onConfirm: async () => {
      await call('removeIdentity', { params: { id } });
      toast(words.unlinked);
      reload();
    },
  }));
  if (value === undefined || value.length === 0) return null;
  return (
    <Panel title={words.title} lead={words.lead}>
      <DataTable label={words.title} rows={value} columns={columns(ask)} rowKey={({ id }) => id} />
      {dialog}
    </Panel>
  );
}

function columns(onUnlink: (row: Identity) => void): readonly Column<Identity>[] {
  return [
    { id: 'issuer', header: words.issuer, cell: ({ issuer }) => issuer, order: ({ issuer }) => issuer },
    { id: 'subject', header: words.subject, cell: ({ subject }) => subject, order: ({ subject }) => subject },
    timeColumn('linked', words.linked, ({ createdAt }) => createdAt),
    timeColumn('used', words.used, ({ lastSignInAt }) => lastSignInAt),
    {
      id: 'actions',
      header: words.actions,
      cell: (row) => (
        <Button aria-label={words.unlinkTitle(row.issuer)} onClick={() => onUnlink(row)}>
          {words.unlink}
        </Button>
      ),
    },
  ];
}
