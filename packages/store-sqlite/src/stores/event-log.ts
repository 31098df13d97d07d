import type { EventLogStore, LoggedEvent } from '@svc/device-lab';
import type { Connection } from '../connection/connection.ts';

/** Stores events of the lab. Rows are only appended, and only the oldest are removed. */
export class EventLogRows implements EventLogStore {
  readonly #connection: Connection;
  readonly #statements: ReturnType<typeof statements>;

  constructor(connection: Connection) {
    this.#connection = connection;
    this.#statements = statements(connection);
  }

  append(events: readonly LoggedEvent[], most: number): void {
    this.#connection.join(() => {
      for (const event of events) this.#statements.insert.run({ ...event });
      this.#statements.trim.run({ most });
    });
  }

  has(id: string): boolean {
    return this.#statements.has.get({ id }) !== undefined;
  }

  page(before: string | null, limit: number): LoggedEvent[] {
    return before === null
      ? this.#statements.newest.all({ limit })
      : this.#statements.before.all({ before, limit });
  }

  removeBefore(at: number, most: number): number {
    return this.#connection.join(() => this.#statements.removeBefore.run({ at, most }));
  }
}

function statements(connection: Connection) {
  return {
    insert: connection.prepare<LoggedEvent, never>(
      'insert into event_log (id, at, type, payload) values (@id, @at, @type, @payload)',
    ),
    /**
     * Removes all but the newest `most` rows. Only the oldest rows are ever removed, so the numbers have no gaps, and
     * `max(number) - most` is the highest number to remove.
     */
    trim: connection.prepare<{ most: number }, never>(
      'delete from event_log where number <= (select max(number) from event_log) - @most',
    ),
    has: connection.prepare<{ id: string }, { number: number }>(
      'select number from event_log where id = @id',
    ),
    newest: connection.prepare<{ limit: number }, LoggedEvent>(
      'select id, at, type, payload from event_log order by number desc limit @limit',
    ),
    before: connection.prepare<{ before: string; limit: number }, LoggedEvent>(`
      select id, at, type, payload from event_log
      where number < (select number from event_log where id = @before)
      order by number desc limit @limit`),
    removeBefore: connection.prepare<{ at: number; most: number }, never>(`
      delete from event_log where number in (
        select number from event_log where at < @at order by at limit @most
      )`),
  };
}
