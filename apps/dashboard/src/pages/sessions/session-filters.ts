export const STATUSES = ['running', 'ended', 'passed', 'failed'] as const;
type SessionStatus = (typeof STATUSES)[number];

/**
 * Filters of the list of sessions. Empty filters have no effect. The page's address contains the filters, so that a
 * filtered list can be shared.
 */
export interface SessionFilters {
  readonly search: string;
  readonly status: SessionStatus | '';
  readonly owner: string;
}

export function filtersOf(query: string): SessionFilters {
  const given = new URLSearchParams(query);
  const status = given.get('status') ?? '';
  return {
    search: cut(given.get('search')),
    status: STATUSES.find((each) => each === status) ?? '',
    owner: cut(given.get('owner')),
  };
}

/** @returns the filters as a query for the page's address and the API, without empty filters */
export function queryOf(filters: SessionFilters): Record<string, string> {
  return Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== ''));
}

/** Cuts the text to the maximum length that the API accepts and removes NUL, which the API refuses. */
function cut(text: string | null): string {
  return (text ?? '').replaceAll('\0', '').trim().slice(0, 200);
}
