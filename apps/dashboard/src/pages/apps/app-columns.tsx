import { pageAddress } from '../../api/addresses.ts';
import type { Answer } from '../../api/client.ts';
import { texts } from '../../texts/en.ts';
import { Button, type Column, CopyButton, TimeAgo } from '../../ui/index.ts';
import { sizeText } from './size-text.ts';

export type LibraryApp = Answer<'listApps'>[number];
type AppUse = Answer<'listAppUses'>[number];

/**
 * @param onDelete called with the app whose button was pressed, or undefined if the user is not allowed to delete apps
 */
export function columns(
  uses: ReadonlyMap<string, AppUse>,
  onDelete: ((app: LibraryApp) => void) | undefined,
): readonly Column<LibraryApp>[] {
  const headers = texts.apps.columns;
  return [
    {
      id: 'name',
      header: headers.name,
      order: ({ name }) => name,
      cell: ({ id, name }) => (
        <span class="two-lines">
          <span class="breaks">{name}</span>
          <code class="soft">svc:app/{id.slice(0, 8)}…</code>
        </span>
      ),
    },
    {
      id: 'size',
      header: headers.size,
      cell: ({ size }) => sizeText(size),
      order: ({ size }) => size,
      width: '6rem',
    },
    {
      id: 'uploaded',
      header: headers.uploaded,
      order: ({ createdAt }) => createdAt,
      cell: ({ id, createdAt }) => (
        <span class="two-lines">
          <TimeAgo at={createdAt} />
          <span class="soft breaks">{uses.get(id)?.uploadedBy?.email}</span>
        </span>
      ),
    },
    {
      id: 'used',
      header: headers.used,
      cell: ({ id }) => <Used use={uses.get(id)} />,
      order: ({ id }) => uses.get(id)?.sessions[0]?.startedAt ?? null,
    },
    {
      id: 'actions',
      header: headers.actions,
      cell: (app) => (
        <span class="button-row">
          <CopyButton value={`svc:app/${app.id}`} what={texts.apps.referenceOf(app.name)} />
          {onDelete !== undefined && (
            <Button aria-label={texts.apps.deleteWhat(app.name)} onClick={() => onDelete(app)}>
              {texts.apps.delete}
            </Button>
          )}
        </span>
      ),
      width: '13rem',
    },
  ];
}

/** Shows the newest session that used an app, and the other people whose sessions used it. */
function Used({ use }: { use: AppUse | undefined }) {
  if (use === undefined) return null;
  const [newest] = use.sessions;
  if (newest === undefined) return <span class="soft">{texts.apps.unused}</span>;
  const emails = use.sessions.flatMap(({ owner }) => (owner === null ? [] : [owner.email]));
  return (
    <span class="two-lines">
      <a class="breaks" href={`${pageAddress('sessions')}?id=${encodeURIComponent(newest.id)}`}>
        {newest.name ?? texts.apps.session} · <TimeAgo at={newest.startedAt} />
      </a>
      <span class="soft breaks">{[...new Set(emails)].join(', ')}</span>
    </span>
  );
}
