const DEFAULT_PAGE = 100;
const LARGEST_PAGE = 500;
/** Number of rows that `inSteps` reads in one query. */
const STEP = 50;

/** @returns how many rows a page has at most */
export function pageSize(limit = DEFAULT_PAGE): number {
  return Math.min(LARGEST_PAGE, limit);
}

/** @returns the query of a page with its limit as a number, or undefined if the query names no part of one */
export function pageIn<Query extends { readonly limit?: string | undefined }>(
  query: Query,
): (Omit<Query, 'limit'> & { limit: number | undefined }) | undefined {
  if (Object.values(query).every((value) => value === undefined)) return undefined;
  return { ...query, limit: query.limit === undefined ? undefined : Number(query.limit) };
}

/**
 * Reads all rows when they are requested. An undefined item marks a step after which other requests may run.
 * @param read reads the `limit` rows after the row `before`, or the first ones
 */
export function* inSteps<Row>(
  read: (before: Row | undefined, limit: number) => Row[],
): Generator<Row | undefined, void, undefined> {
  for (let before: Row | undefined; ; ) {
    const found = read(before, STEP);
    yield* found;
    yield undefined;
    before = found.at(-1);
    if (found.length < STEP) return;
  }
}
