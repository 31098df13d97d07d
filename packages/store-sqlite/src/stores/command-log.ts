import type { ChunkHead, CommandLogStore, LogChunk } from '@svc/device-lab';
import type { Connection } from '../connection/connection.ts';
import type { Params, Prepare } from '../connection/statements.ts';

/** Commands of sessions, in chunks of about a second. */
export class CommandLogRows implements CommandLogStore {
  readonly #connection: Connection;
  readonly #statements: ReturnType<typeof statements>;

  constructor(connection: Connection, prepare: Prepare) {
    this.#connection = connection;
    this.#statements = statements(prepare);
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

  chunks(sessionId: string): LogChunk[] {
    return this.#statements.chunks.all({ sessionId });
  }

  removeBefore(at: number): void {
    this.#connection.join(() => this.#statements.removeBefore.run({ at }));
  }
}

function statements(prepare: Prepare) {
  return {
    insert: prepare((query, at: Params<LogChunk>) =>
      query.insertInto('command_log').values({
        session_id: at.sessionId,
        seq: at.seq,
        rows: at.rows,
        bytes: at.bytes,
        last_at: at.lastAt,
        entries: at.entries,
      }),
    ),
    trim: prepare((query, at: Params<{ sessionId: string; seq: number }>) =>
      query.deleteFrom('command_log').where('session_id', '=', at.sessionId).where('seq', '<', at.seq),
    ),
    heads: prepare((query, at: Params<{ sessionId: string }>) =>
      query
        .selectFrom('command_log')
        .select(['seq', 'rows', 'bytes'])
        .where('session_id', '=', at.sessionId)
        .orderBy('seq'),
    ),
    chunks: prepare((query, at: Params<{ sessionId: string }>) =>
      query
        .selectFrom('command_log')
        .select(['session_id as sessionId', 'seq', 'rows', 'bytes', 'last_at as lastAt', 'entries'])
        .where('session_id', '=', at.sessionId)
        .orderBy('seq'),
    ),
    removeBefore: prepare((query, at: Params<{ at: number }>) =>
      query.deleteFrom('command_log').where('last_at', '<', at.at),
    ),
  };
}
