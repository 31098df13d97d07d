import { useEffect, useState } from 'preact/hooks';
import { call } from '../../api/client.ts';
import { usePageQuery } from '../../api/page-query.ts';
import { pageOf, usePages } from '../../api/use-pages.ts';
import { useReloadOnAudit } from '../../live/use-audit-events.ts';
import { texts } from '../../texts/en.ts';
import { EmptyState, PagedTable, PageHeader, SearchBox, toast } from '../../ui/index.ts';
import { useRevoke } from '../../ui/revoke-dialog.tsx';
import { type ApiKey, withOwnerHint } from './api-key.ts';
import { ChangeLimit } from './change-limit.tsx';
import { columns } from './key-columns.tsx';
import { isWanted, useKeyFilter } from './key-filter.ts';
import { KeyFilters } from './key-filters.tsx';
import { MakeKey } from './make-key.tsx';

const PAGE = 100;

export function Page() {
  const [search, setSearch] = usePageQuery('search');
  const [filter, setFilter] = useKeyFilter();
  const [limited, setLimited] = useState<ApiKey>();
  const pages = usePages<ApiKey>(
    async (before, signal, large = PAGE) => {
      const query = { search: search.trim() || undefined, before, limit: String(large) };
      return pageOf(await call('listApiKeys', { query, signal }), large);
    },
    [search],
  );
  const isFiltered = Object.values(filter).some((value) => value !== '');
  useEffect(() => {
    if (isFiltered) pages.loadAll();
  }, [isFiltered]);
  // After the user has loaded further pages, the list is not reloaded, because a reload would return to the first page.
  useReloadOnAudit(
    (event) => event === 'authn_token_created' || event === 'authn_token_revoked',
    () => pages.rows.length <= PAGE && pages.reload(),
  );
  const [dialog, ask] = useRevoke(({ id, name, owner }: ApiKey) => ({
    title: texts.apiKeys.revokeTitle(name),
    text: texts.apiKeys.revokeText(owner.email),
    confirmLabel: texts.apiKeys.revoke,
    onRevoke: async (cascades) => {
      const query = cascades ? { cascade: 'true' } : {};
      await withOwnerHint(call('revokeApiKey', { params: { id }, query }));
      pages.change((rows) => rows.filter((row) => row.id !== id));
      toast(texts.apiKeys.revoked(name));
    },
  }));
  return (
    <>
      <PageHeader
        title={texts.pages['api-keys']}
        lead={texts.apiKeys.lead}
        actions={<MakeKey onMade={pages.reload} />}
      />
      <section class="panel" aria-label={texts.apiKeys.list}>
        <search class="filter-bar">
          <SearchBox label={texts.apiKeys.search} value={search} onSearch={setSearch} />
          <KeyFilters filter={filter} onChange={setFilter} />
        </search>
        <PagedTable
          label={texts.apiKeys.list}
          noun="keys"
          pages={pages}
          rows={pages.rows.filter((key) => isWanted(key, filter, Date.now()))}
          columns={columns({ onChangeLimit: setLimited, onRevoke: ask })}
          empty={<NoKeys isSearch={search.trim() !== '' || isFiltered} />}
        />
      </section>
      <ChangeLimit
        apiKey={limited}
        onChanged={(changed) =>
          pages.change((rows) => rows.map((row) => (row.id === changed.id ? changed : row)))
        }
        onClose={() => setLimited(undefined)}
      />
      {dialog}
    </>
  );
}

function NoKeys({ isSearch }: { isSearch: boolean }) {
  if (isSearch) return <EmptyState title={texts.lists.nothingFound} text={texts.lists.otherWords} />;
  return <EmptyState title={texts.apiKeys.empty} text={texts.apiKeys.emptyText} />;
}
