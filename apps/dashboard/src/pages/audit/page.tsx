import { useState } from 'preact/hooks';
import { usePageQuery } from '../../api/page-query.ts';
import { usePages } from '../../api/use-pages.ts';
import { useLiveEvents } from '../../live/use-live.ts';
import { texts } from '../../texts/en.ts';
import { Breakable } from '../../ui/breakable.tsx';
import { Badge, Button, type Column, EmptyState, PagedTable, PageHeader, TimeAgo } from '../../ui/index.ts';
import { AuditExport } from './audit-export.tsx';
import { type AuditFilter, filterOfPage, isEmptyFilter, keepFilter } from './audit-filter.ts';
import { AuditRow } from './audit-row.tsx';
import { FilterForm } from './filter-form.tsx';
import { type AuditItem, loadAudit } from './load-audit.ts';
import { Reason, TargetCell } from './named-target.tsx';
import { type Names, useNames } from './target-names.ts';
import { useVerifyChain } from './verify-chain.tsx';

export function Page() {
  const [filter, setFilter] = useState(filterOfPage);
  const [opened, setOpened] = useState<AuditItem>();
  const [asked, setOrder] = usePageQuery('order');
  const order = asked === 'oldest' ? 'oldest' : '';
  const pages = usePages<AuditItem>(
    (before, signal) => loadAudit(filter, order, before, signal),
    [filter, order],
  );
  const names = useNames(pages.rows);
  const fresh = useNewRows();
  const [verifyButton, verified] = useVerifyChain();
  const search = (next: AuditFilter) => {
    keepFilter(next);
    setFilter(next);
    setOpened(undefined);
    fresh.forget();
  };
  const showNew = () => {
    fresh.forget();
    pages.reload();
  };
  return (
    <>
      <PageHeader
        title={texts.pages.audit}
        lead={texts.audit.lead}
        actions={
          <>
            {verifyButton}
            <AuditExport filter={filter} />
          </>
        }
      />
      {verified}
      <section class="panel" aria-label={texts.audit.list}>
        <FilterForm key={JSON.stringify(filter)} filter={filter} onSearch={search} />
        {fresh.count > 0 && order === '' && isEmptyFilter(filter) && (
          <Button onClick={showNew}>{texts.audit.newRows(fresh.count)}</Button>
        )}
        <PagedTable
          label={texts.audit.list}
          noun="rows"
          pages={pages}
          columns={columns(names)}
          onOpen={setOpened}
          served={{
            sorting: { id: 'at', descending: order === '' },
            onToggle: () => setOrder(order === '' ? 'oldest' : ''),
          }}
          loadingText={isEmptyFilter(filter) ? texts.common.loading : texts.audit.searching}
          empty={<NoRows isSearch={!isEmptyFilter(filter)} />}
        />
      </section>
      <AuditRow row={opened} names={names} onSearch={search} onClose={() => setOpened(undefined)} />
    </>
  );
}

/** Counts the audit events that this page received since the list was loaded. A loss of events counts as one. */
function useNewRows() {
  const [count, setCount] = useState(0);
  useLiveEvents(['audit', 'history_lost'], () => setCount((before) => before + 1));
  return { count, forget: () => setCount(0) };
}

function NoRows({ isSearch }: { isSearch: boolean }) {
  if (!isSearch) return <EmptyState title={texts.audit.empty} />;
  return <EmptyState title={texts.audit.emptySearch} text={texts.audit.emptySearchText} />;
}

const ACCOUNT_ID = /^[0-9a-f-]{36}$/;

function actorText({ actor, actorEmail, address, outcome }: AuditItem): string {
  // Without an address, the server acted itself, or counted refusals of several addresses.
  const isServer = address === null && outcome === 'success';
  if (actor === null) return isServer ? texts.audit.server : texts.audit.unauthenticated;
  // An actor without an e-mail address is either a deleted account, or not an account at all, such as the command line.
  // In the second case, `actor` is a name that can be shown.
  return actorEmail ?? (ACCOUNT_ID.test(actor) ? texts.audit.gone : actor);
}

function columns(names: Names): readonly Column<AuditItem>[] {
  const headers = texts.audit.columns;
  return [
    {
      id: 'at',
      header: headers.at,
      cell: ({ at }) => <TimeAgo at={at} />,
      order: ({ at }) => at,
      width: '6.5rem',
    },
    {
      id: 'event',
      header: headers.event,
      cell: ({ event }) => <EventName event={event} />,
      width: '13rem',
    },
    {
      id: 'outcome',
      header: headers.outcome,
      cell: ({ outcome }) => <Outcome outcome={outcome} />,
      width: '5.5rem',
    },
    {
      id: 'actor',
      header: headers.actor,
      cell: (row) => (
        <span class="two-lines">
          <span>
            <Breakable text={actorText(row)} />
          </span>
          <span class="soft">{row.address}</span>
        </span>
      ),
      width: '14rem',
    },
    {
      id: 'target',
      header: headers.target,
      cell: (row) => <TargetCell row={row} names={names} />,
      width: '11rem',
    },
    {
      id: 'reason',
      header: headers.reason,
      cell: ({ reason }) => <Reason reason={reason} names={names} />,
    },
  ];
}

/** Shows an event in words with its name, or only the name if there are no words for it. */
function EventName({ event }: Pick<AuditItem, 'event'>) {
  const names: Readonly<Record<string, string>> = texts.auditEvents;
  const words = names[event];
  if (words === undefined) return <code>{event}</code>;
  return (
    <span class="two-lines">
      <span>{words}</span>
      <code class="soft event-name">
        <Breakable text={event} />
      </code>
    </span>
  );
}

function Outcome({ outcome }: Pick<AuditItem, 'outcome'>) {
  const isGood = outcome === 'success';
  return (
    <Badge tone={isGood ? 'good' : 'bad'}>
      {isGood ? texts.audit.outcomes.success : texts.audit.outcomes.failure}
    </Badge>
  );
}
