import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Column } from './column.tsx';
import type { Sorting } from './sort-rows.ts';
import type { VirtualRows } from './use-virtual-rows.ts';

export interface TableViewProps<Row> {
  label: string;
  rows: readonly Row[];
  columns: readonly Column<Row>[];
  rowKey: (row: Row) => string;
  fixed?: boolean | undefined;
  sorting: Sorting | undefined;
  /** Called with the id of a column when the user presses its header. */
  onSort: (id: string) => void;
  onOpen?: ((row: Row) => void) | undefined;
  onEnd?: (() => void) | undefined;
  /** Element that scrolls the rows. */
  box: RefObject<HTMLDivElement | null>;
  /** Visible rows, or undefined if all rows are in the document. */
  virtual: VirtualRows | undefined;
}

/** Distance from the last row, in rows, at which `onEnd` is called. */
const NEAR_END = 30;

/**
 * Renders the rows of a table. If rows can be opened, the arrow keys, Page Up and Down, Home and End move between them.
 */
export function TableView<Row>(props: TableViewProps<Row>) {
  const { label, rows, columns, rowKey, fixed, sorting, onSort, onOpen, onEnd, box, virtual } = props;
  const [active, setActive] = useState(0);
  const takesFocus = useRef(false);
  const current = Math.min(active, rows.length - 1);

  useLayoutEffect(() => {
    if (!takesFocus.current) return;
    const row = box.current?.querySelector<HTMLElement>(`[data-index="${current}"]`);
    if (!row) return;
    takesFocus.current = false;
    row.focus();
  });

  const lastShown = virtual === undefined ? rows.length - 1 : (virtual.rows.at(-1) ?? 0);
  const isNearEnd = lastShown >= rows.length - NEAR_END;
  useEffect(() => {
    if (isNearEnd && rows.length > 0) onEnd?.();
  }, [isNearEnd, rows.length]);

  const move = (event: KeyboardEvent) => {
    if (!(event.target as HTMLElement).matches('tr[data-index]')) return;
    if (event.key === 'Enter') {
      onOpen?.(rows[current] as Row);
      return;
    }
    const steps = {
      ArrowDown: 1,
      ArrowUp: -1,
      PageDown: 10,
      PageUp: -10,
      Home: -rows.length,
      End: rows.length,
    };
    const step = steps[event.key as keyof typeof steps];
    if (step === undefined) return;
    event.preventDefault();
    const next = Math.max(0, Math.min(rows.length - 1, current + step));
    takesFocus.current = true;
    setActive(next);
    virtual?.scrollTo(next);
  };

  const shown = virtual?.rows ?? rows.map((_, index) => index);
  return (
    <div
      class={virtual === undefined ? 'table-box' : 'table-box table-many'}
      ref={box}
      // A box that scrolls must be focusable if it contains no focusable element, so that the keyboard can scroll it.
      {...(virtual !== undefined && onOpen === undefined
        ? { tabIndex: 0, role: 'group', 'aria-label': label }
        : {})}
    >
      <table class={fixed ? 'table table-fixed' : 'table'} aria-label={label} aria-rowcount={rows.length + 1}>
        <Columns columns={columns} sorting={sorting} onSort={onSort} />
        <tbody onKeyDown={onOpen === undefined ? undefined : move}>
          <Gap px={virtual?.before} columns={columns.length} />
          {shown.map((index) => (
            <TableRow
              key={rowKey(rows[index] as Row)}
              row={rows[index] as Row}
              index={index}
              columns={columns}
              measure={virtual?.measure}
              tabIndex={onOpen === undefined ? undefined : index === current ? 0 : -1}
              onOpen={onOpen}
              onFocus={() => setActive(index)}
            />
          ))}
          <Gap px={virtual?.after} columns={columns.length} />
        </tbody>
      </table>
    </div>
  );
}

interface ColumnsProps<Row> extends Pick<TableViewProps<Row>, 'columns' | 'sorting' | 'onSort'> {}

function Columns<Row>({ columns, sorting, onSort }: ColumnsProps<Row>) {
  return (
    <thead>
      <tr>
        {columns.map(({ id, header, width, order }) => (
          <th
            key={id}
            scope="col"
            style={width === undefined ? undefined : { width }}
            aria-sort={order === undefined ? undefined : directionOf(sorting, id)}
          >
            {order === undefined ? (
              header
            ) : (
              <button type="button" class="sort" onClick={() => onSort(id)}>
                {header}
              </button>
            )}
          </th>
        ))}
      </tr>
    </thead>
  );
}

function directionOf(sorting: Sorting | undefined, id: string): 'ascending' | 'descending' | 'none' {
  if (sorting?.id !== id) return 'none';
  return sorting.descending ? 'descending' : 'ascending';
}

interface TableRowProps<Row> {
  row: Row;
  index: number;
  columns: readonly Column<Row>[];
  measure: ((element: Element | null) => void) | undefined;
  tabIndex: number | undefined;
  onOpen: ((row: Row) => void) | undefined;
  onFocus: () => void;
}

function TableRow<Row>({ row, index, columns, measure, tabIndex, onOpen, onFocus }: TableRowProps<Row>) {
  const open = (event: MouseEvent) => {
    // A click does not open the row if it hits a control in the row or ends the selection of text.
    const pressed = (event.target as Element).closest('a, button, input, select, label, summary');
    if (pressed === null && String(getSelection()) === '') onOpen?.(row);
  };
  return (
    <tr
      ref={measure ?? null}
      data-index={index}
      aria-rowindex={index + 2}
      tabIndex={tabIndex}
      class={onOpen === undefined ? undefined : 'row-opens'}
      onClick={onOpen === undefined ? undefined : open}
      onFocus={onOpen === undefined ? undefined : onFocus}
    >
      {columns.map(({ id, header, cell }) => (
        <td key={id} data-header={header} class={`table-${id}`}>
          <div class="cell">{cell(row)}</div>
        </td>
      ))}
    </tr>
  );
}

/** Renders an empty row that takes the space of the rows that are not in the document. */
function Gap({ px, columns }: { px: number | undefined; columns: number }) {
  if (px === undefined || px <= 0) return null;
  return (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: a row without a tabindex takes no focus
    <tr aria-hidden="true" class="table-gap">
      <td colSpan={columns} style={{ height: `${px}px` }} />
    </tr>
  );
}
