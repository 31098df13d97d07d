import type { ChunkHead, CommandLogStore, LogChunk } from '@svc/device-lab';
import type { Connection } from '../connection/connection.ts';
import { Rows, required, type Table } from './table.ts';

type Place = Pick<LogChunk, 'sessionId' | 'seq'>;

/** Commands of about one second of a session. `seq` is the number of the first one. */
export const COMMAND_LOG: Table<LogChunk> = {
  name: 'command_log',
  columns: {
    sessionId: required,
    seq: required,
    rows: required,
    bytes: required,
    lastAt: required,
    entries: required,
  },
};

export function commandLogRows(connection: Connection): CommandLogStore {
  const chunks = new Rows(connection, COMMAND_LOG);
  const insert = chunks.insert();
  const trim = chunks.remove<Place>('session_id = @sessionId and seq < @seq');
  const heads = connection.prepare<{ sessionId: string }, ChunkHead>(
    'select seq, rows, bytes from command_log where session_id = @sessionId order by seq',
  );
  const entries = connection.prepare<Place, Pick<LogChunk, 'entries'>>(
    'select entries from command_log where session_id = @sessionId and seq = @seq',
  );
  const removeBefore = chunks.remove<{ at: number; most: number }>(
    'rowid in (select rowid from command_log where last_at < @at order by last_at limit @most)',
  );
  return {
    write: (added, trimmed) =>
      connection.join(() => {
        for (const chunk of added) insert(chunk);
        for (const place of trimmed) trim(place);
      }),
    heads: (sessionId) => heads.all({ sessionId }),
    entriesAt: (sessionId, seq) => entries.get({ sessionId, seq })?.entries,
    removeBefore: (at, most) => connection.join(() => removeBefore({ at, most })),
  };
}
