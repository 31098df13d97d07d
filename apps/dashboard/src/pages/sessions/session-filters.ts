import type { Sorting } from '../../ui/sort-rows.ts';

export const STATUSES = ['running', 'ended', 'passed', 'failed'] as const;
type SessionStatus = (typeof STATUSES)[number];

const ORDERS = ['oldest', 'longest', 'shortest'] as const;
type SessionOrder = (typeof ORDERS)[number];

/** Failure categories that the server sets (specification 9.1). */
export const CATEGORIES = [
  'Timeout',
  'Session Lost',
  'Stale Element',
  'Hub Restart',
  'Driver Crash',
] as const;

/**
 * Filters of the list of sessions. Empty filters have no effect. The page's address contains the filters, so that a
 * filtered list can be shared.
 */
export interface SessionFilters {
  readonly search: string;
  readonly status: SessionStatus | '';
  readonly owner: string;
  readonly udid: string;
  readonly tag: string;
  readonly category: string;
  /** First day, as `2026-11-27`, in the user's time zone. */
  readonly from: string;
  /** Last day, which is included. */
  readonly to: string;
  /** Which sessions come first: empty for the newest. */
  readonly order: SessionOrder | '';
}

/** Filters that the page shows only when the user asks for them. */
export const MORE_FILTERS = ['udid', 'tag', 'category', 'from', 'to'] as const;

export function filtersOf(query: string): SessionFilters {
  const given = new URLSearchParams(query);
  const status = given.get('status') ?? '';
  return {
    search: cut(given.get('search')),
    status: STATUSES.find((each) => each === status) ?? '',
    owner: cut(given.get('owner')),
    udid: cut(given.get('udid')),
    tag: cut(given.get('tag')),
    category: cut(given.get('category')),
    from: dayOf(given.get('from')),
    to: dayOf(given.get('to')),
    order: ORDERS.find((each) => each === given.get('order')) ?? '',
  };
}

/** @returns the filters as a query for the page's address, without empty filters */
export function queryOf(filters: SessionFilters): Record<string, string> {
  return Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== ''));
}

/** @returns the filters as a query for the API, in which days are moments of the user's time zone */
export function apiQueryOf(filters: SessionFilters): Record<string, string> {
  const { from, to, ...others } = filters;
  const query = { ...others, from: startOf(from, 0), to: startOf(to, 1) };
  return Object.fromEntries(Object.entries(query).filter(([, value]) => value !== ''));
}

/** @returns the first moment of a day, or of a day some days later, in ISO 8601; an empty text for no day */
function startOf(day: string, later: number): string {
  if (day === '') return '';
  const [year, month, date] = day.split('-').map(Number) as [number, number, number];
  return new Date(year, month - 1, date + later).toISOString();
}

function dayOf(text: string | null): string {
  const isDay = text !== null && /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text));
  return isDay ? text : '';
}

/** Cuts the text to the maximum length that the API accepts and removes NUL, which the API refuses. */
function cut(text: string | null): string {
  return (text ?? '').replaceAll('\0', '').trim().slice(0, 200);
}

/** @returns the column by which the server sorts the list, and whether its largest value comes first */
export function sortingOf(order: SessionFilters['order']): Sorting {
  if (order === 'longest' || order === 'shortest') return { id: 'duration', descending: order === 'longest' };
  return { id: 'started', descending: order === '' };
}

/** @returns the order after a press on the header of a column: first the largest value, then the smallest */
export function nextOrder(order: SessionFilters['order'], column: string): SessionFilters['order'] {
  if (column === 'duration') return order === 'longest' ? 'shortest' : 'longest';
  return order === '' ? 'oldest' : '';
}
