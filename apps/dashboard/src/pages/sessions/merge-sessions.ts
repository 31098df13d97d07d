import type { LiveEvent } from '@svc/contract';
import type { Answer } from '../../api/client.ts';
import type { SessionFilters } from './session-filters.ts';

export type Session = Answer<'listSessions'>[number];

/** Loaded part of the list of sessions: the first session and those that follow it, without a gap. */
export interface KnownSessions {
  readonly rows: readonly Session[];
  /** Whether `rows` contains all sessions, so that there is no other one to load. */
  readonly isAll: boolean;
}

/**
 * Merges the newest page, which was loaded again, with the known sessions. Drops the known sessions if they do not
 * overlap with the page, because sessions between them would be missing.
 */
function withNewest(known: KnownSessions, page: readonly Session[], pageLength: number): KnownSessions {
  const last = page.at(-1);
  if (last === undefined || page.length < pageLength) return { rows: page, isAll: true };
  const place = known.rows.findIndex(({ id }) => id === last.id);
  if (place === -1) return { rows: page, isAll: false };
  return { rows: [...page, ...known.rows.slice(place + 1)], isAll: known.isAll };
}

/** Most sessions that the server returns in one page. */
const LARGEST_PAGE = 500;

/**
 * @returns how many sessions to load again. New sessions come first only in the order `newest`. In another order they
 * may be anywhere, so that all known ones are loaded, and one more, which shows whether others follow.
 */
export function reloadLength(
  { rows }: KnownSessions,
  order: SessionFilters['order'],
  pageLength: number,
): number {
  return order === '' ? pageLength : Math.min(LARGEST_PAGE, Math.max(pageLength, rows.length + 1));
}

/** Puts the sessions that were loaded again in the place of the known ones. */
export function withReloaded(
  known: KnownSessions,
  page: readonly Session[],
  { order, pageLength }: { readonly order: SessionFilters['order']; readonly pageLength: number },
): KnownSessions {
  return order === '' ? withNewest(known, page, pageLength) : { rows: page, isAll: page.length < pageLength };
}

/**
 * Appends the next page. Ignores a page that no longer follows the last row because the list was reloaded meanwhile.
 */
export function withOlder(
  known: KnownSessions,
  before: string,
  page: readonly Session[],
  pageLength: number,
): KnownSessions {
  if (known.rows.at(-1)?.id !== before) return known;
  return { rows: [...known.rows, ...page], isAll: page.length < pageLength };
}

export type SessionChange = LiveEvent<'session_changed' | 'session_ended'>;

/**
 * Changes the session to which the event belongs. If the list shows only sessions with one status, removes a session
 * that changes to another status.
 */
export function withEvent(
  known: KnownSessions,
  { payload }: SessionChange,
  status: string | undefined,
): KnownSessions {
  const place = known.rows.findIndex(({ id }) => id === payload.id);
  if (place === -1) return known;
  const rows = [...known.rows];
  if (status !== undefined && payload.status !== status) rows.splice(place, 1);
  else rows[place] = patched(rows[place] as Session, payload);
  return { ...known, rows };
}

export function patched(session: Session, payload: SessionChange['payload']): Session {
  const { name, status, tags, endedAt, failureCategory, failureReason } = payload;
  return { ...session, name, status, tags, endedAt, failureCategory, failureReason };
}
