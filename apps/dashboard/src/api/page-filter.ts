import { useState } from 'preact/hooks';
import { pageQuery, setPageQuery } from './page-query.ts';

/**
 * Keeps the filters of a list in the address of the page, so that a link shows the same rows. An empty text means that a
 * filter is not set.
 * @param names names of the filters, which are also those of the query parameters
 */
export function usePageFilter<Name extends string>(
  names: readonly Name[],
): [filter: Readonly<Record<Name, string>>, change: (part: Partial<Record<Name, string>>) => void] {
  const [filter, setFilter] = useState(
    () => Object.fromEntries(names.map((name) => [name, pageQuery(name)])) as Record<Name, string>,
  );
  const change = (part: Partial<Record<Name, string>>) => {
    setPageQuery(part as Record<string, string>);
    setFilter((before) => ({ ...before, ...part }));
  };
  return [filter, change];
}
