import type { CleaningRow, CleaningStore } from '@svc/device-lab';
import type { Connection } from '../connection/connection.ts';
import type { NoParams } from '../connection/statement.ts';
import type { PhoneCleaningRow } from '../schema/rows/lab.ts';

export class CleaningRows implements CleaningStore {
  readonly #connection: Connection;
  readonly #statements: ReturnType<typeof statements>;

  constructor(connection: Connection) {
    this.#connection = connection;
    this.#statements = statements(connection);
  }

  all(): CleaningRow[] {
    return this.#statements.all.all({}).map((row) => ({
      udid: row.udid,
      holderId: row.holder_id,
      mode: row.mode,
      since: row.since,
      before: row.before === null ? null : JSON.parse(row.before),
      sessions: JSON.parse(row.sessions),
      isKept: row.is_kept === 1,
    }));
  }

  save({ holderId, before, sessions, isKept, ...row }: CleaningRow): void {
    const stored = {
      ...row,
      holder_id: holderId,
      before: before === null ? null : JSON.stringify(before),
      sessions: JSON.stringify(sessions),
      is_kept: isKept ? 1 : 0,
    };
    this.#connection.join(() => this.#statements.save.run(stored));
  }

  remove(udid: string): void {
    this.#connection.join(() => this.#statements.remove.run({ udid }));
  }
}

function statements(connection: Connection) {
  return {
    all: connection.prepare<NoParams, PhoneCleaningRow>('select * from phone_cleaning order by udid'),
    save: connection.prepare<PhoneCleaningRow, never>(`
      insert into phone_cleaning (udid, holder_id, mode, since, before, sessions, is_kept)
      values (@udid, @holder_id, @mode, @since, @before, @sessions, @is_kept)
      on conflict (udid) do update set holder_id = @holder_id, mode = @mode, since = @since, before = @before,
        sessions = @sessions, is_kept = @is_kept`),
    remove: connection.prepare<{ udid: string }, never>('delete from phone_cleaning where udid = @udid'),
  };
}
