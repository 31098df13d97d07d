import { TableView, type TableViewProps } from './table-view.tsx';
import { useVirtualRows } from './use-virtual-rows.ts';

/** Estimated height of a row. The height of a visible row is measured. */
const ROW_PX = 37;

/** Renders a table of which only the visible rows are in the document, because many elements slow the browser down. */
export function VirtualTable<Row>(props: Omit<TableViewProps<Row>, 'virtual'>) {
  const virtual = useVirtualRows(props.rows.length, props.box, ROW_PX);
  return <TableView {...props} virtual={virtual} />;
}
