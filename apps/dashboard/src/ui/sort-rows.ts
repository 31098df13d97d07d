export type SortKey = string | number | boolean | null;

export interface Sorting {
  /** Id of the column. */
  readonly id: string;
  readonly descending: boolean;
}

const BY_TEXT = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' });

/**
 * @returns the rows in the order of their keys. Rows without a value come last in both directions, and rows with the
 * same key keep their order.
 */
export function sortRows<Row>(
  rows: readonly Row[],
  keyOf: (row: Row) => SortKey,
  descending: boolean,
): readonly Row[] {
  const keyed = rows.map((row) => ({ row, key: keyOf(row) }));
  const sign = descending ? -1 : 1;
  return keyed
    .toSorted((a, b) => {
      if (a.key === null || b.key === null) return Number(a.key === null) - Number(b.key === null);
      return sign * compare(a.key, b.key);
    })
    .map(({ row }) => row);
}

function compare(a: string | number | boolean, b: string | number | boolean): number {
  if (typeof a === 'string' && typeof b === 'string') return BY_TEXT.compare(a, b);
  return Number(a) - Number(b);
}

/** @returns the sorting after a press on the header of a column: ascending, then descending, then as loaded */
export function nextSorting(now: Sorting | undefined, id: string): Sorting | undefined {
  if (now?.id !== id) return { id, descending: false };
  return now.descending ? undefined : { id, descending: true };
}
