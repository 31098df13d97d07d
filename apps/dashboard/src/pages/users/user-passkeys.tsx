import { type Answer, call } from '../../api/client.ts';
import { useResource } from '../../api/use-resource.ts';
import { texts } from '../../texts/en.ts';
import { Badge, Button, type Column, DataTable, timeColumn, toast, useConfirm } from '../../ui/index.ts';
import type { User } from './user.ts';

const words = texts.passkeys;
type Passkey = Answer<'listUserPasskeys'>[number];

/** Lists the passkeys of a user with buttons to delete them. Shows nothing for users without a passkey. */
export function UserPasskeys({ user: { id } }: { user: User }) {
  const { value, reload } = useResource((signal) => call('listUserPasskeys', { params: { id }, signal }));
  const [dialog, ask] = useConfirm(({ id: passkeyId, name }: Passkey) => ({
    title: words.removeTitle(name),
    text: words.removeUserText,
    confirmLabel: words.remove,
    onConfirm: async () => {
      await call('removeUserPasskey', { params: { id, passkeyId } });
      toast(words.removed(name));
      reload();
    },
  }));
  if (value === undefined || value.length === 0) return null;
  return (
    <section class="dialog-section">
      <h3>{words.title}</h3>
      <DataTable label={words.title} rows={value} columns={columns(ask)} rowKey={(row) => row.id} />
      {dialog}
    </section>
  );
}

function columns(onRemove: (row: Passkey) => void): readonly Column<Passkey>[] {
  return [
    {
      id: 'name',
      header: words.name,
      cell: ({ name, backedUp }) => (
        <>
          {name} {backedUp && <Badge>{words.backedUp}</Badge>}
        </>
      ),
      order: ({ name }) => name,
    },
    timeColumn('used', words.used, ({ lastUsedAt }) => lastUsedAt),
    {
      id: 'actions',
      header: words.actions,
      cell: (row) => (
        <Button aria-label={words.removeWhat(row.name)} onClick={() => onRemove(row)}>
          {words.remove}
        </Button>
      ),
    },
  ];
}
