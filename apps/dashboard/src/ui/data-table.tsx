import type { ComponentChildren } from 'preact';
import { useMemo, useRef, useState } from 'preact/hooks';
import type { Resource } from '../api/use-resource.ts';
import type { Column } from './column.tsx';
import { nextSorting, type Sorting, sortRows } from './sort-rows.ts';
import { ResourceView } from './states.tsx';
import { TableView } from './table-view.tsx';
import { useLater } from './use-later.ts';
import type { VirtualTable } from './virtual-table.tsx';

interface DataTableProps<Row> {
  /** Accessible name of the table. */
  label: string;
  rows: readonly Row[];
  columns: readonly Column<Row>[];
  rowKey: (row: Row) => string;
  /** Called when the user clicks a row, or presses Enter while the row has the focus. */
  onOpen?: (row: Row) => void;
  /** Called when the last rows are near or visible, so that the caller can load more. */
  onEnd?: () => void;
  /** Called when the user sorts the table, so that the caller can load the rows that are missing. */
  onSort?: () => void;
  /** Sorting by the server, if the caller requests the rows in an order. The table then keeps their order. */
  served?: ServedSorting;
  /** Whether columns keep their widths, whatever they contain. Cells then cut long texts with the class `cut`. */
  fixed?: boolean;
  /** Content to show instead of the table if there are no rows. */
  empty?: ComponentChildren;
}

/** Order in which the server sends the rows. */
export interface ServedSorting {
  readonly sorting: Sorting;
  /** Called with the id of a column when the user presses its header. Only columns with `order` can be pressed. */
  onToggle(id: string): void;
}

/** Number of rows above which only the visible ones are in the document. */
const MANY = 100;

/** Renders a table that sorts by its columns. On a narrow screen, each row is shown as a few lines of text. */
export function DataTable<Row>({
  rows,
  columns,
  onEnd,
  onSort,
  served,
  empty,
  ...props
}: DataTableProps<Row>) {
  const box = useRef<HTMLDivElement>(null);
  const [chosen, setSorting] = useState<Sorting>();
  const sorting = served?.sorting ?? chosen;
  const Virtual = useLater(rows.length > MANY, loadVirtual);
  const order = columns.find(({ id }) => id === sorting?.id)?.order;
  const sorted = useMemo(
    () => (chosen === undefined || order === undefined ? rows : sortRows(rows, order, chosen.descending)),
    [rows, chosen],
  );
  if (rows.length === 0 && empty !== undefined) return <>{empty}</>;
  const sort = (id: string) => {
    if (served !== undefined) return served.onToggle(id);
    setSorting(nextSorting(chosen, id));
    onSort?.();
  };
  const shared = { ...props, columns, sorting, onSort: sort, box };
  if (rows.length <= MANY) return <TableView {...shared} rows={sorted} onEnd={onEnd} virtual={undefined} />;
  if (Virtual === undefined)
    return <TableView {...shared} rows={sorted.slice(0, MANY)} virtual={undefined} />;
  return <Virtual {...shared} rows={sorted} onEnd={onEnd} />;
}

interface ResourceTableProps<Row> extends Omit<DataTableProps<Row>, 'rows'> {
  resource: Resource<readonly Row[]>;
}

/** Renders a table of the rows of a resource. */
export function ResourceTable<Row>({ resource, ...props }: ResourceTableProps<Row>) {
  return <ResourceView resource={resource}>{(rows) => <DataTable {...props} rows={rows} />}</ResourceView>;
}

/** Loads the virtual rows separately, because few tables have so many rows. */
const loadVirtual = async (): Promise<typeof VirtualTable> =>
  (await import('./virtual-table.tsx')).VirtualTable;
