import { useCallback, useState } from 'preact/hooks';

/** @returns the value of a query parameter in the page's address, or an empty text if it is absent */
export function pageQuery(name: string): string {
  return new URLSearchParams(location.search).get(name) ?? '';
}

/**
 * Writes query parameters to the page's address, so that a reload or a shared link shows the same state. Parameters
 * with an empty value are removed.
 */
export function setPageQuery(values: Readonly<Record<string, string>>): void {
  const query = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(values)) {
    if (value === '') query.delete(name);
    else query.set(name, value);
  }
  const text = query.toString();
  history.replaceState(null, '', `${location.pathname}${text === '' ? '' : `?${text}`}`);
}

/** Works like `useState` for a text that is stored in a query parameter of the page's address. */
export function usePageQuery(name: string): [value: string, set: (value: string) => void] {
  const [value, setValue] = useState(() => pageQuery(name));
  const set = useCallback(
    (next: string) => {
      setPageQuery({ [name]: next });
      setValue(next);
    },
    [name],
  );
  return [value, set];
}
