import { call } from '../../api/client.ts';
import type { Session } from './merge-sessions.ts';

/** The latest session of the same name that passed before this one; undefined: there is none. */
export async function lastPassedBefore({ id, name }: Session): Promise<Session | undefined> {
  // The API looks for no longer name, and for none with NUL.
  if (name === null || name === '' || name.length > 200 || name.includes('\0')) return undefined;
  const query = { name, status: 'passed', before: id, limit: '1' } as const;
  const [found] = await call('listSessions', { query });
  return found;
}
