import { call } from '../../api/client.ts';
import type { Session } from './merge-sessions.ts';

/**
 * @returns the latest earlier session of the same name that passed, or undefined if there is none or if the API cannot
 * search for the name
 */
export async function lastPassedBefore({ id, name }: Session): Promise<Session | undefined> {
  // For such a name, the API refuses the search: it accepts 1 to 200 characters without NUL.
  if (name === null || name === '' || name.length > 200 || name.includes('\0')) return undefined;
  const query = { name, status: 'passed', before: id, limit: '1' } as const;
  const [found] = await call('listSessions', { query });
  return found;
}
