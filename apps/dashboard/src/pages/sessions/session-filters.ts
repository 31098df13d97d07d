export const STATUSES = ['running', 'ended', 'passed', 'failed'] as const;
type SessionStatus = (typeof STATUSES)[number];

/** What the list is limited to; empty: not at all. It is in the page's address, so that it can be shared. */
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

/** As a query of page and API; empty ones left out. */
export function queryOf(filters: SessionFilters): Record<string, string> {
  return Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== ''));
}

/** The most the API looks for; it takes no NUL. */
function cut(text: string | null): string {
  return (text ?? '').replaceAll('\0', '').trim().slice(0, 200);
}
