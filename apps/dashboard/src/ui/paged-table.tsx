import type { ComponentChildren } from 'preact';
import type { Pages } from '../api/use-pages.ts';
import { texts } from '../texts/en.ts';
import { Button } from './button.tsx';
import { type Column, DataTable } from './data-table.tsx';
import { ErrorState, LoadingState } from './states.tsx';

interface PagedTableProps<Row extends { readonly id: string }> {
  label: string;
  pages: Pages<Row>;
  columns: readonly Column<Row>[];
  onOpen?: (row: Row) => void;
  /** Shown instead of the table if there are no rows. */
  empty: ComponentChildren;
  /** Shown while rows are loading. */
  loadingText?: string;
}

/** A table whose rows are loaded in pages. */
export function PagedTable<Row extends { readonly id: string }>(props: PagedTableProps<Row>) {
  const { label, pages, columns, onOpen, empty, loadingText } = props;
  const { state, rows, error, isLoading, hasMore, more, reload } = pages;
  const isEmpty = rows.length === 0 && state === 'ready' && !hasMore;
  return (
    <>
      {state === 'error' && <ErrorState error={error} onRetry={reload} />}
      {isEmpty && !isLoading && empty}
      {rows.length > 0 && (
        <DataTable
          label={label}
          rows={rows}
          columns={columns}
          rowKey={({ id }) => id}
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
          <span class="soft">{texts.lists.shown(rows.length)}</span>
        </div>
      )}
    </>
  );
}
