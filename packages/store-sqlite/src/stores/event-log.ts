import type { EventLogStore, LoggedEvent } from '@svc/device-lab';
import type { Connection } from '../connection/connection.ts';
import { Rows, required, type Table } from './table.ts';

/** The table also has `number`, in the order of writing. Rows are only appended, and only the oldest are removed. */
export const EVENT_LOG: Table<LoggedEvent> = {
  name: 'event_log',
  columns: { id: required, at: required, type: required, payload: required },
};

export function eventLogRows(connection: Connection): EventLogStore {
  const log = new Rows(connection, EVENT_LOG);
  const insert = log.insert();
  // The numbers have no gaps, so `max(number) - most` is the highest number to remove.
  const trim = log.remove<{ most: number }>('number <= (select max(number) from event_log) - @most');
  const has = connection.prepare<{ id: string }, object>('select number from event_log where id = @id');
  const newest = log.all<{ limit: number }>('order by number desc limit @limit');
  const older = log.all<{ before: string; limit: number }>(
    'where number < (select number from event_log where id = @before) order by number desc limit @limit',
  );
  const removeBefore = log.remove<{ at: number; most: number }>(
    'number in (select number from event_log where at < @at order by at limit @most)',
  );
  return {
    append: (events, most) =>
      connection.join(() => {
        for (const event of events) insert(event);
        trim({ most });
      }),
    has: (id) => has.get({ id }) !== undefined,
    page: (before, limit) => (before === null ? newest({ limit }) : older({ before, limit })),
    removeBefore: (at, most) => connection.join(() => removeBefore({ at, most })),
  };
}
