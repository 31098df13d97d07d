import { useState } from 'preact/hooks';
import { type Answer, call } from '../../api/client.ts';
import { useResource } from '../../api/use-resource.ts';
import { texts } from '../../texts/en.ts';
import { Badge, Button, type Column, ConfirmDialog, DataTable, timeColumn, toast } from '../../ui/index.ts';
import type { User } from './user.ts';

const words = texts.passkeys;
type Passkey = Answer<'listUserPasskeys'>[number];

/** Lists the passkeys of a user with buttons to delete them. Shows nothing for users without a passkey. */
export function UserPasskeys({ user: { id } }: { user: User }) {
  const { value, reload } = useResource((signal) => call('listUserPasskeys', { params: { id }, signal }));
  const [leaving, setLeaving] = useState<Passkey>();
  if (value === undefined || value.length === 0) return null;
  const remove = async () => {
    if (leaving === undefined) return;
    await call('removeUserPasskey', { params: { id, passkeyId: leaving.id } });
    toast(words.removed(leaving.name));
    reload();
  };
  return (
    <section class="dialog-section">
      <h3>{words.title}</h3>
      <DataTable label={words.title} rows={value} columns={columns(setLeaving)} rowKey={(row) => row.id} />
      <ConfirmDialog
        open={leaving !== undefined}
        title={words.removeTitle(leaving?.name ?? '')}
        text={words.removeUserText}
        confirmLabel={words.remove}
        danger
        onConfirm={remove}
        onClose={() => setLeaving(undefined)}
      />
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
