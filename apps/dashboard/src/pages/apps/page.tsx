import { call } from '../../api/client.ts';
import { caller, isAtLeast } from '../../api/current-caller.ts';
import { useResource } from '../../api/use-resource.ts';
import { texts } from '../../texts/en.ts';
import { EmptyState, PageHeader, ResourceTable, toast, useConfirm } from '../../ui/index.ts';
import { columns, type LibraryApp } from './app-columns.tsx';
import { UploadPanel } from './upload-panel.tsx';

/** Shows the app library. Admins upload apps and delete them. */
export function Page() {
  const apps = useResource((signal) => call('listApps', { signal }));
  const uses = useResource((signal) => call('listAppUses', { signal }));
  const mayChange = isAtLeast(caller.value.role, 'Admin');
  const usesById = new Map(uses.value?.map((use) => [use.id, use]));
  const uploaded = (name: string) => {
    toast(texts.apps.uploaded(name));
    apps.reload();
    uses.reload();
  };
  const [dialog, ask] = useConfirm(({ id, name }: LibraryApp) => ({
    title: texts.apps.deleteTitle(name),
    text: texts.apps.deleteText,
    confirmLabel: texts.apps.delete,
    onConfirm: async () => {
      await call('deleteApp', { params: { id } });
      apps.change((list) => list.filter((app) => app.id !== id));
      toast(texts.apps.deleted(name));
    },
  }));
  return (
    <>
      <PageHeader title={texts.pages.apps} lead={texts.apps.lead} />
      {mayChange && <UploadPanel onUploaded={uploaded} />}
      <section class="panel" aria-label={texts.apps.list}>
        <ResourceTable
          label={texts.apps.list}
          resource={apps}
          columns={columns(usesById, mayChange ? ask : undefined)}
          rowKey={({ id }) => id}
          empty={
            <EmptyState
              title={texts.apps.empty}
              text={mayChange ? texts.apps.emptyText : texts.apps.emptyForMembers}
            />
          }
        />
      </section>
      {dialog}
    </>
  );
}
