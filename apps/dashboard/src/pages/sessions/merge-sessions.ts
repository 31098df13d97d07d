import type { Answer } from '../../api/client.ts';
import type { LiveEvent } from '../../live/live-line.ts';

export type Session = Answer<'listSessions'>[number];

/** What is known of the list: its newest part, without gaps. */
export interface KnownSessions {
  readonly rows: readonly Session[];
  /** Nothing older follows. */
  readonly isAll: boolean;
}

/** The newest page, loaded again, put before what is known. Where the two do not meet, only the page is left. */
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

/** The next page, behind what is known. An answer that was overtaken by a fresh list does not fit and is dropped. */
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

/** A session as its event tells it; of a list of one status, one that has left it is taken out. */
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
