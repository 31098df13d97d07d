import { useState } from 'preact/hooks';
import { type Answer, call } from '../../api/client.ts';
import { canUsePasskeys, notePasskey } from '../../api/passkeys.ts';
import { useResource } from '../../api/use-resource.ts';
import { texts } from '../../texts/en.ts';
import {
  Badge,
  Button,
  type Column,
  DataTable,
  Dialog,
  EmptyState,
  Field,
  Form,
  Panel,
  ResourceView,
  timeColumn,
  toast,
  useConfirm,
  useFields,
} from '../../ui/index.ts';

const words = texts.passkeys;
type Passkey = Answer<'listPasskeys'>[number];
type Place = Answer<'getPasskeyAddress'>;

/**
 * Lists the user's passkeys, with buttons to add, rename and delete them. Changes require a fresh sign-in (contract
 * 10).
 */
export function Passkeys() {
  const found = useResource(async (signal) => ({
    rows: await call('listPasskeys', { signal }),
    place: await call('getPasskeyAddress', { signal }),
  }));
  const [isAdding, setAdding] = useState(false);
  const [renaming, setRenaming] = useState<Passkey>();
  const add = async (name: string) => {
    const { makePasskey } = await import('../../shell/passkey-ceremonies.ts');
    await call('addPasskey', { body: { name, response: await makePasskey() } });
    notePasskey();
    toast(words.added(name));
  };
  const rename = async (name: string) => {
    if (renaming === undefined) return;
    await call('changePasskey', { params: { id: renaming.id }, body: { name } });
    toast(words.renamed);
  };
  const [dialog, askToRemove] = useConfirm(({ id, name }: Passkey) => ({
    title: words.removeTitle(name),
    text: words.removeText,
    confirmLabel: words.remove,
    onConfirm: async () => {
      await call('removePasskey', { params: { id } });
      toast(words.removed(name));
      found.reload();
    },
  }));
  const isHere = found.value !== undefined && worksHere(found.value.place);
  return (
    <Panel
      title={words.title}
      lead={words.lead}
      actions={isHere && <Button onClick={() => setAdding(true)}>{words.add}</Button>}
    >
      <ResourceView resource={found}>
        {({ rows, place }) => (
          <>
            {!worksHere(place) && <Elsewhere {...place} />}
            <DataTable
              label={words.title}
              rows={rows}
              columns={columns(place, setRenaming, askToRemove)}
              rowKey={({ id }) => id}
              empty={<EmptyState title={words.emptyTitle} text={words.empty} />}
            />
          </>
        )}
      </ResourceView>
      <NameDialog
        open={isAdding}
        title={words.add}
        onName={add}
        onDone={found.reload}
        onClose={() => setAdding(false)}
      />
      <NameDialog
        open={renaming !== undefined}
        title={words.renameTitle(renaming?.name ?? '')}
        name={renaming?.name}
        onName={rename}
        onDone={found.reload}
        onClose={() => setRenaming(undefined)}
      />
      {dialog}
    </Panel>
  );
}

/** @returns whether browsers can use the lab's passkeys at the address of this page */
function worksHere({ rpId }: Place): boolean {
  const { hostname } = location;
  return canUsePasskeys() && (hostname === rpId || hostname.endsWith(`.${rpId}`));
}

/** Explains why passkeys do not work on this page, and links to the address at which they do. */
function Elsewhere({ address, rpId }: Place) {
  const isReachable = address !== null && (rpId !== 'localhost' || isThisMachine());
  if (!isReachable) {
    return (
      <p class="notice notice-warn">
        {words.notHere} {words.askAdmin}
      </p>
    );
  }
  return (
    <p class="notice notice-warn">
      {words.notHereOpen} <a href={`${address}/svc/profile`}>{address}</a>
    </p>
  );
}

function isThisMachine(): boolean {
  return ['localhost', '127.0.0.1', '[::1]'].includes(location.hostname);
}

interface NameDialogProps {
  open: boolean;
  title: string;
  name?: string | undefined;
  onName: (name: string) => Promise<void>;
  onDone: () => void;
  onClose: () => void;
}

function NameDialog({ open, title, name = '', onName, onDone, onClose }: NameDialogProps) {
  return (
    <Dialog open={open} title={title} onClose={onClose}>
      <NameForm title={title} name={name} onName={onName} onDone={onDone} onClose={onClose} />
    </Dialog>
  );
}

function NameForm({ title, name, onName, onDone, onClose }: Omit<NameDialogProps, 'open'>) {
  const { text, submit } = useFields({ name: name ?? '' });
  const send = submit(async ({ name: wanted }) => {
    await onName(wanted);
    onDone();
    onClose();
  });
  return (
    <Form
      submitLabel={name === '' ? title : texts.common.save}
      onSubmit={send}
      actions={<Button onClick={onClose}>{texts.common.cancel}</Button>}
    >
      <Field label={words.name} hint={words.nameHint} required autocomplete="off" {...text('name')} />
    </Form>
  );
}

function columns(
  { unusable }: Place,
  onRename: (row: Passkey) => void,
  onRemove: (row: Passkey) => void,
): Column<Passkey>[] {
  return [
    {
      id: 'name',
      header: words.name,
      cell: ({ id, name, backedUp }) => (
        <>
          {name} {backedUp && <Badge>{words.backedUp}</Badge>}{' '}
          {unusable.includes(id) && <Badge tone="warn">{words.unusable}</Badge>}
        </>
      ),
      order: ({ name }) => name,
    },
    timeColumn('created', words.created, ({ createdAt }) => createdAt),
    timeColumn('used', words.used, ({ lastUsedAt }) => lastUsedAt),
    {
      id: 'actions',
      header: words.actions,
      cell: (row) => (
        <span class="button-row">
          <Button aria-label={words.renameTitle(row.name)} onClick={() => onRename(row)}>
            {words.rename}
          </Button>
          <Button aria-label={words.removeWhat(row.name)} onClick={() => onRemove(row)}>
            {words.remove}
          </Button>
        </span>
      ),
    },
  ];
}
