import type { ChunkHead, CommandLogStore, LogChunk } from '@svc/device-lab';
import type { Connection } from '../connection/connection.ts';

/** Stores the commands of sessions. Each row contains the commands of about one second of a session. */
export class CommandLogRows implements CommandLogStore {
  readonly #connection: Connection;
  readonly #statements: ReturnType<typeof statements>;

  constructor(connection: Connection) {
    this.#connection = connection;
    this.#statements = statements(connection);
  }

  write(chunks: readonly LogChunk[], trimmed: readonly { sessionId: string; seq: number }[]): void {
    this.#connection.join(() => {
      for (const chunk of chunks) this.#statements.insert.run({ ...chunk });
      for (const trim of trimmed) this.#statements.trim.run({ ...trim });
    });
  }

  heads(sessionId: string): ChunkHead[] {
    return this.#statements.heads.all({ sessionId });
  }

  entriesAt(sessionId: string, seq: number): string | undefined {
    return this.#statements.entries.get({ sessionId, seq })?.entries;
  }

  removeBefore(at: number, most: number): number {
    return this.#connection.join(() => this.#statements.removeBefore.run({ at, most }));
  }
}

function statements(connection: Connection) {
  return {
    insert: connection.prepare<LogChunk, never>(`
      insert into command_log (session_id, seq, rows, bytes, last_at, entries)
      values (@sessionId, @seq, @rows, @bytes, @lastAt, @entries)`),
    trim: connection.prepare<{ sessionId: string; seq: number }, never>(
      'delete from command_log where session_id = @sessionId and seq < @seq',
    ),
    heads: connection.prepare<{ sessionId: string }, ChunkHead>(
      'select seq, rows, bytes from command_log where session_id = @sessionId order by seq',
    ),
    entries: connection.prepare<{ sessionId: string; seq: number }, Pick<LogChunk, 'entries'>>(
      'select entries from command_log where session_id = @sessionId and seq = @seq',
    ),
    removeBefore: connection.prepare<{ at: number; most: number }, never>(`
      delete from command_log where rowid in (
        select rowid from command_log where last_at < @at order by last_at limit @most
      )`),
  };
}
