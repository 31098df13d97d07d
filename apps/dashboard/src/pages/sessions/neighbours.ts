import { call } from '../../api/client.ts';
import type { Session } from './merge-sessions.ts';

/** Spans in which the next session is looked for, in milliseconds, from the shortest on. */
const SPANS = [10 * 60_000, 24 * 3_600_000, Number.POSITIVE_INFINITY];

/** Most sessions that the server returns in one response. */
const MOST = 500;

/** @returns the session that started before this one, of those that the user may see */
export async function sessionBefore({ id }: Pick<Session, 'id'>): Promise<Session | undefined> {
  return (await call('listSessions', { query: { before: id, limit: '1' } }))[0];
}

/** @returns the session that started after this one. The API lists the newest first, so a short span is requested first. */
export async function sessionAfter({
  id,
  startedAt,
}: Pick<Session, 'id' | 'startedAt'>): Promise<Session | undefined> {
  for (const span of SPANS) {
    const to = Number.isFinite(span) ? { to: new Date(Date.parse(startedAt) + span).toISOString() } : {};
    const found = await call('listSessions', { query: { from: startedAt, ...to, limit: String(MOST) } });
    const place = found.findIndex((session) => session.id === id);
    const newer = place === -1 ? found.at(-1) : found[place - 1];
    if (newer !== undefined) return newer;
  }
  return undefined;
}
