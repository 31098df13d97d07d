import type { ComponentChildren } from 'preact';
import type { SortKey } from './sort-rows.ts';

/** A column of a table of rows. */
export interface Column<Row> {
  readonly id: string;
  readonly header: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** CSS width of the column. If absent, the browser chooses the width. */
  readonly width?: string;
  /** Value by which the column sorts, or null for a row without a value. If absent, the column does not sort. */
  readonly order?: (row: Row) => SortKey;
}
