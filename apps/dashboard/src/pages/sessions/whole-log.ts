import { call } from '../../api/client.ts';
import { type LoggedCommand, MOST_COMPARED } from './align-commands.ts';

/** @returns the first commands of a session, up to the number that is compared, and whether there are more */
export async function wholeLog(id: string): Promise<{ rows: readonly LoggedCommand[]; isCut: boolean }> {
  const rows = await call('sessionLog', { params: { id }, query: { limit: `${MOST_COMPARED}` } });
  return { rows, isCut: rows.length >= MOST_COMPARED };
}
