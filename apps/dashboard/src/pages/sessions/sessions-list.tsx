import { useState } from 'preact/hooks';
import { errorText } from '../../api/error-text.ts';
import { deviceAddress, sessionAddress } from '../../api/record-addresses.ts';
import { texts } from '../../texts/en.ts';
import type { ServedSorting } from '../../ui/data-table.tsx';
import {
  Button,
  type Column,
  DataTable,
  EmptyState,
  ErrorState,
  LoadingState,
  PageHeader,
  TimeAgo,
} from '../../ui/index.ts';
import { RunningTime } from '../../ui/running-time.tsx';
import type { Session } from './merge-sessions.ts';
import { FilterBar } from './session-filter-bar.tsx';
import { filtersOf, nextOrder, queryOf, type SessionFilters, sortingOf } from './session-filters.ts';
import { SessionOwner } from './session-owner.tsx';
import { StatusBadge } from './status-badge.tsx';
import { Tags } from './tags.tsx';
import { useSessions } from './use-sessions.ts';

/**
 * Lists the sessions that the caller may see. Names and tags come from other machines, so they are rendered only as
 * text.
 */
export function SessionsList() {
  const [filters, setFilters] = useState(() => filtersOf(location.search));
  const list = useSessions(filters);
  const isByDuration = sortingOf(filters.order).id === 'duration';
  // A list by duration leaves out the sessions that still run.
  const isFiltered = isByDuration || Object.keys(queryOf({ ...filters, order: '' })).length > 0;
  const noun = isByDuration ? 'endedSessions' : 'sessions';
  const served = {
    sorting: sortingOf(filters.order),
    onToggle: (id: string) => change({ order: nextOrder(filters.order, id) }),
  };
  const change = (part: Partial<SessionFilters>) => {
    const next = filtersOf(new URLSearchParams(queryOf({ ...filters, ...part })).toString());
    setFilters(next);
    const query = new URLSearchParams(queryOf(next)).toString();
    history.replaceState(null, '', query === '' ? location.pathname : `?${query}`);
  };
  return (
    <>
      <PageHeader title={texts.sessions.title} lead={texts.sessions.lead} />
      <section class="panel" aria-label={texts.sessions.title}>
        <FilterBar filters={filters} onChange={change} />
        <p class="list-note" role="status">
          {list.state === 'ready' &&
            list.rows.length > 0 &&
            texts.lists.count(list.rows.length, list.rows.length, list.isAll, noun)}
        </p>
        <Rows
          list={list}
          isFiltered={isFiltered}
          served={served}
          onClear={() => location.assign(location.pathname)}
        />
      </section>
    </>
  );
}

interface RowsProps {
  list: ReturnType<typeof useSessions>;
  isFiltered: boolean;
  served: ServedSorting;
  onClear(): void;
}

function Rows({ list, isFiltered, served, onClear }: RowsProps) {
  const { none, noneFound, clear } = texts.sessions;
  if (list.rows.length === 0 && list.state === 'loading') return <LoadingState />;
  if (list.rows.length === 0 && list.state === 'error') {
    return <ErrorState error={list.error} onRetry={list.reload} />;
  }
  return (
    <>
      <DataTable
        label={texts.sessions.title}
        rows={list.rows}
        rowKey={({ id }) => id}
        columns={COLUMNS}
        fixed
        served={served}
        onOpen={({ id }) => location.assign(sessionAddress(id))}
        onEnd={list.loadMore}
        empty={
          isFiltered ? (
            <EmptyState {...noneFound} action={<Button onClick={onClear}>{clear}</Button>} />
          ) : (
            <EmptyState {...none} />
          )
        }
      />
      {list.isLoadingMore && <p role="status">{texts.sessions.loadingMore}</p>}
      {list.state === 'error' && (
        <p role="alert">
          {errorText(list.error)} <Button onClick={list.loadMore}>{texts.common.retry}</Button>
        </p>
      )}
    </>
  );
}

const { columns: heads } = texts.sessions;

const COLUMNS: readonly Column<Session>[] = [
  {
    id: 'name',
    header: heads.name,
    cell: ({ id, name }) => (
      <a href={sessionAddress(id)} class="cut" title={name ?? undefined}>
        {name ?? texts.sessions.unnamed}
      </a>
    ),
    width: '20%',
  },
  {
    id: 'status',
    header: heads.status,
    cell: (session) => <StatusBadge session={session} />,
    width: '5.5rem',
  },
  { id: 'owner', header: heads.owner, cell: ({ owner }) => <SessionOwner owner={owner} />, width: '17rem' },
  {
    id: 'device',
    header: heads.device,
    cell: ({ device }) =>
      device === null ? (
        <span class="soft cut">{texts.sessions.noDevice}</span>
      ) : (
        <a href={deviceAddress(device.udid)} class="cut" title={device.udid}>
          {device.name}
        </a>
      ),
    width: '8.25rem',
  },
  {
    id: 'duration',
    header: heads.duration,
    cell: ({ startedAt, endedAt }) => <RunningTime from={startedAt} to={endedAt} />,
    order: ({ startedAt, endedAt }) => Date.parse(endedAt ?? startedAt) - Date.parse(startedAt),
    width: '5.75rem',
  },
  {
    id: 'started',
    header: heads.started,
    cell: ({ startedAt }) => <TimeAgo at={startedAt} />,
    order: ({ startedAt }) => startedAt,
    width: '5.75rem',
  },
  { id: 'tags', header: heads.tags, cell: ({ tags }) => <Tags tags={tags} /> },
];
