import type { Answer } from '../../api/client.ts';
import type { LiveEvent } from '../../live/live-line.ts';

export type Session = Answer<'listSessions'>[number];

/** The loaded part of the list: its newest sessions without gaps. */
export interface KnownSessions {
  readonly rows: readonly Session[];
  /** There are no older sessions. */
  readonly isAll: boolean;
}

/** Merges the newest page, loaded again, with the known sessions. If the two do not overlap, only the page is kept. */
export function withNewest(
  known: KnownSessions,
  page: readonly Session[],
  pageLength: number,
): KnownSessions {
  const last = page.at(-1);
  if (last === undefined || page.length < pageLength) return { rows: page, isAll: true };
  const place = known.rows.findIndex(({ id }) => id === last.id);
  if (place === -1) return { rows: page, isAll: false };
  return { rows: [...page, ...known.rows.slice(place + 1)], isAll: known.isAll };
}

/** Appends the next page. A response that is older than a reload does not fit and is ignored. */
export function withOlder(
  known: KnownSessions,
  before: string,
  page: readonly Session[],
  pageLength: number,
): KnownSessions {
  if (known.rows.at(-1)?.id !== before) return known;
  return { rows: [...known.rows, ...page], isAll: page.length < pageLength };
}

const CHANGED = ['name', 'status', 'tags', 'endedAt', 'failureCategory', 'failureReason'] as const;

/** Applies the event of a session. If the list shows one status, a session with another status is removed. */
export function withEvent(
  known: KnownSessions,
  { payload }: LiveEvent,
  status: string | undefined,
): KnownSessions {
  const place = known.rows.findIndex(({ id }) => id === payload.id);
  if (place === -1) return known;
  const rows = [...known.rows];
  if (status !== undefined && payload.status !== status) rows.splice(place, 1);
  else rows[place] = patched(rows[place] as Session, payload);
  return { ...known, rows };
}

export function patched(session: Session, payload: LiveEvent['payload']): Session {
  return { ...session, ...Object.fromEntries(CHANGED.map((field) => [field, payload[field]])) };
}
