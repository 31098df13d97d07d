import { call } from '../../api/client.ts';
import type { Session } from './merge-sessions.ts';

/**
 * @returns the latest earlier session of the same name that passed, or undefined if there is none or the session has no
 * usable name
 */
export async function lastPassedBefore({ id, name }: Session): Promise<Session | undefined> {
  // The API refuses to filter sessions by a name that is longer than 200 characters or contains NUL.
  if (name === null || name === '' || name.length > 200 || name.includes('\0')) return undefined;
  const query = { name, status: 'passed', before: id, limit: '1' } as const;
  const [found] = await call('listSessions', { query });
  return found;
}
