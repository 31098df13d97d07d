import type { ComponentChildren } from 'preact';
import type { SortKey } from './sort-rows.ts';
import { TimeAgo } from './time-text.tsx';

/** A column of a table of rows. */
export interface Column<Row> {
  /** Name that is unique in the table. The class of the column's cells, `table-<id>`, places them on narrow screens. */
  readonly id: string;
  readonly header: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** CSS width of the column. If absent, the browser chooses the width. */
  readonly width?: string;
  /** Value by which the column sorts, or null for a row without a value. If absent, the column does not sort. */
  readonly order?: (row: Row) => SortKey;
}

/** @returns a column that shows and sorts by a time, or shows nothing for null */
export function timeColumn<Row>(
  id: string,
  header: string,
  at: (row: Row) => string | null,
  width?: string,
): Column<Row> {
  const column = { id, header, cell: (row: Row) => <TimeAgo at={at(row)} />, order: at };
  return width === undefined ? column : { ...column, width };
}
