import type { ComponentChildren } from 'preact';
import type { Pages } from '../api/use-pages.ts';
import type { Noun } from '../texts/en/lists.ts';
import { texts } from '../texts/en.ts';
import { Button } from './button.tsx';
import type { Column } from './column.tsx';
import { DataTable, type ServedSorting } from './data-table.tsx';
import { ErrorState, LoadingState } from './states.tsx';

interface PagedTableProps<Row extends { readonly id: string }> {
  label: string;
  /** What the rows are, for the count above the table. */
  noun: Noun;
  pages: Pages<Row>;
  /** Loaded rows to show, if the page filters them. If absent, all loaded rows are shown. */
  rows?: readonly Row[];
  columns: readonly Column<Row>[];
  onOpen?: (row: Row) => void;
  /** Content to show instead of the table if there are no rows. */
  empty: ComponentChildren;
  /** Sorting by the server; see `DataTable`. */
  served?: ServedSorting;
  /** Text to show while rows are loading. If absent, a default text is shown, but only for the first page. */
  loadingText?: string;
}

/** Renders a table whose rows are loaded page by page. */
export function PagedTable<Row extends { readonly id: string }>(props: PagedTableProps<Row>) {
  const { label, noun, pages, columns, onOpen, served, empty, loadingText } = props;
  const { state, error, isLoading, hasMore, more, loadAll, reload } = pages;
  const rows = props.rows ?? pages.rows;
  const isEmpty = rows.length === 0 && state === 'ready' && !hasMore;
  return (
    <>
      {state === 'error' && <ErrorState error={error} onRetry={reload} />}
      {isEmpty && !isLoading && empty}
      <p class="list-note" role="status">
        {rows.length > 0 && texts.lists.count(rows.length, pages.rows.length, !hasMore, noun)}
      </p>
      {rows.length > 0 && (
        <DataTable
          label={label}
          rows={rows}
          columns={columns}
          rowKey={({ id }) => id}
          onSort={loadAll}
          {...(served === undefined ? {} : { served })}
          {...(onOpen === undefined ? {} : { onOpen })}
        />
      )}
      {isLoading && (rows.length === 0 || loadingText !== undefined) && (
        <LoadingState {...(loadingText === undefined ? {} : { text: loadingText })} />
      )}
      {hasMore && state === 'ready' && (
        <div class="more">
          <Button busy={isLoading} onClick={more}>
            {texts.lists.more}
          </Button>
        </div>
      )}
    </>
  );
}
