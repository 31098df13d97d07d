import { type DriverSessionFilter, SEARCHED_SESSIONS } from '@svc/device-lab';
import type { Connection } from '../connection/connection.ts';
import type { Rows } from './table.ts';

/**
 * Where a page of sessions begins: after the session with this start (ms since 1970) or duration (ms) and the `rowid`
 * `row`, in the order of the list.
 */
interface Place {
  readonly key: number;
  readonly row: number;
}

interface ListParams extends Place {
  readonly ownerId: string | null;
  readonly status: string | null;
  readonly name: string | null;
  readonly search: string | null;
  readonly udid: string | null;
  readonly tag: string | null;
  readonly category: string | null;
  readonly from: number;
  readonly to: number;
  readonly scanned: number;
}

/** Place of a session, and 1 if it matches the search, otherwise 0. */
interface Found extends Place {
  readonly fits: number;
}

const HIGHEST: Place = { key: Number.MAX_SAFE_INTEGER, row: Number.MAX_SAFE_INTEGER };
const LOWEST: Place = { key: Number.MIN_SAFE_INTEGER, row: 0 };

/** Number of sessions that one query searches. The search of so many takes about a millisecond. */
const STEP = 200;

/**
 * Reads pages of sessions by their start or, if they have ended, by their duration. Each query uses the index that fits
 * its filter.
 * @returns a function that yields the rows that match one after the other, and undefined after each query
 */
export function driverSessionList<Row extends object>(connection: Connection, sessions: Rows<Row>) {
  const orders = statements(connection);
  const byPlace = sessions.first<{ row: number }>('where rowid = @row');
  return function* read(filter: DriverSessionFilter): Generator<Row | undefined, void, undefined> {
    const { ownerId, status, name, search, udid, tag, category, from = 0, to, before } = filter;
    const { named, owned, all, placed, isRising, isByStart } = orders[filter.order ?? 'newest'];
    // No index sorts the sessions of a name by their duration, so the name is then searched for as a tag is.
    const statement = name !== undefined && isByStart ? named : ownerId !== undefined ? owned : all;
    const searched = [search, udid, tag, category, isByStart ? undefined : name];
    const isScanned = searched.some((each) => each !== undefined);
    const placeOf = (id: string): Place | undefined => {
      const found = placed.get({ id });
      return found?.key == null || (ownerId !== undefined && found.ownerId !== ownerId)
        ? undefined
        : { key: found.key, row: found.row };
    };
    let place = before === undefined ? (isRising ? LOWEST : HIGHEST) : placeOf(before);
    // The first query begins where the filter begins, so that it does not pass over sessions outside of it.
    if (isByStart && place !== undefined) {
      if (isRising && place.key < from) place = { ...LOWEST, key: from };
      if (!isRising && to !== undefined && place.key >= to) place = { ...HIGHEST, key: to - 1 };
    }
    let wanted = filter.limit;
    let unread = isScanned ? SEARCHED_SESSIONS : filter.limit;
    while (place !== undefined && unread > 0) {
      const scanned = Math.min(STEP, unread);
      const found: Found[] = statement.all({
        ...place,
        ownerId: ownerId ?? null,
        status: status ?? null,
        name: name ?? null,
        search: search === undefined ? null : asciiLower(search),
        udid: udid ?? null,
        tag: tag ?? null,
        category: category ?? null,
        from,
        to: to ?? Number.MAX_SAFE_INTEGER,
        scanned,
      });
      for (const { row, fits } of found) {
        const session = fits === 1 ? byPlace({ row }) : undefined;
        if (session === undefined) continue;
        yield session;
        wanted -= 1;
        if (wanted === 0) return;
      }
      yield undefined;
      unread -= found.length;
      place = found.length < scanned ? undefined : found.at(-1);
    }
  };
}

/** Duration of an ended session, as the indexes by duration state it. */
const DURATION = '(ended_at - started_at)';

function statements(connection: Connection) {
  const isBefore = (key: string) => `${key} <= @key and (${key} < @key or rowid < @row)`;
  const isAfter = (key: string) => `${key} >= @key and (${key} > @key or rowid > @row)`;
  // Without the unary plus, SQLite might use an index of `owner_id`, `status` or `name` that is not sorted by the key.
  const list = (through: string, key: string, place: string, order: 'asc' | 'desc') =>
    connection.prepare<ListParams, Found>(`
      select rowid as row, ${key} as key, (@search is null or ${SEARCHED})
          and (@name is null or ifnull(name = @name, 0))
          and (@udid is null or ifnull(json_extract(device, '$.udid') = @udid, 0))
          and (@category is null or ifnull(failure_category = @category, 0))
          and (@tag is null or exists (select 1 from json_each(tags) where value = @tag)) as fits
      from driver_sessions
      where ${through} and ${place}
        and (@ownerId is null or +owner_id = @ownerId) and (@status is null or +status = @status)
      order by ${key} ${order}, rowid ${order} limit @scanned`);
  const lists = (key: string, place: string, order: 'asc' | 'desc') => ({
    isRising: order === 'asc',
    isByStart: key === 'started_at',
    all: list('true', key, place, order),
    owned: list('owner_id = @ownerId', key, place, order),
    named: list('name = @name', key, place, order),
    placed: connection.prepare<{ id: string }, { key: number | null; row: number; ownerId: string | null }>(
      `select ${key} as key, rowid as row, owner_id as ownerId from driver_sessions where id = @id`,
    ),
  });
  const within = 'ended_at is not null and +started_at >= @from and +started_at < @to';
  return {
    newest: lists('started_at', `${isBefore('started_at')} and started_at >= @from`, 'desc'),
    oldest: lists('started_at', `${isAfter('started_at')} and started_at < @to`, 'asc'),
    longest: lists(DURATION, `${isBefore(DURATION)} and ${within}`, 'desc'),
    shortest: lists(DURATION, `${isAfter(DURATION)} and ${within}`, 'asc'),
  };
}

const contains = (text: string) => `instr(lower(${text}), @search) > 0`;

const SEARCHED = `(${[
  'name',
  'id',
  "json_extract(device, '$.udid')",
  "json_extract(device, '$.name')",
  'node',
  'failure_reason',
]
  .map(contains)
  .join(' or ')} or (tags <> '[]' and exists (select 1 from json_each(tags) where ${contains('value')})))`;

/** Converts A to Z to lower case, and no other letters, as SQLite's `lower` does. */
function asciiLower(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}
