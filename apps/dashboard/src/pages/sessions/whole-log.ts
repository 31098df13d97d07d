import { call } from '../../api/client.ts';
import { type LoggedCommand, MOST_COMPARED } from './align-commands.ts';

/** @returns the first `MOST_COMPARED` commands of a session, and whether the session has more */
export async function wholeLog(id: string): Promise<{ rows: readonly LoggedCommand[]; isCut: boolean }> {
  const rows = await call('sessionLog', { params: { id }, query: { limit: `${MOST_COMPARED}` } });
  return { rows, isCut: rows.length >= MOST_COMPARED };
}
