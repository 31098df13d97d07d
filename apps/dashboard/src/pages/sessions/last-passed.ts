import { call } from '../../api/client.ts';
import type { Session } from './merge-sessions.ts';

/** @returns the latest session of the same name that passed before this one, or undefined */
export async function lastPassedBefore({ id, name }: Session): Promise<Session | undefined> {
  // The API does not accept longer names, or names with NUL.
  if (name === null || name === '' || name.length > 200 || name.includes('\0')) return undefined;
  const query = { name, status: 'passed', before: id, limit: '1' } as const;
  const [found] = await call('listSessions', { query });
  return found;
}
