import { type DriverSessionFilter, SEARCHED_SESSIONS } from '@svc/device-lab';
import type { Connection } from '../connection/connection.ts';
import type { Rows } from './table.ts';

/**
 * Where a page of sessions begins: after the session that started at `startedAt` and has the `rowid` `row`, in the
 * order of the list.
 */
interface Place {
  readonly startedAt: number;
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

const NEWEST: Place = { startedAt: Number.MAX_SAFE_INTEGER, row: Number.MAX_SAFE_INTEGER };
const OLDEST: Place = { startedAt: 0, row: 0 };

/** Number of sessions that one query searches. The search of so many takes about a millisecond. */
const STEP = 200;

/**
 * Reads pages of sessions by their start. Each query uses the index that fits its filter.
 * @returns a function that yields the rows that match one after the other, and undefined after each query
 */
export function driverSessionList<Row extends object>(connection: Connection, sessions: Rows<Row>) {
  const { newest, oldest, place: placed } = statements(connection);
  const byPlace = sessions.first<{ row: number }>('where rowid = @row');
  const placeOf = (id: string, ownerId: string | undefined): Place | undefined => {
    const found = placed.get({ id });
    return found === undefined || (ownerId !== undefined && found.ownerId !== ownerId) ? undefined : found;
  };
  return function* read(filter: DriverSessionFilter): Generator<Row | undefined, void, undefined> {
    const { ownerId, status, name, search, udid, tag, category, from = 0, to, order, before } = filter;
    const isOldest = order === 'oldest';
    const { named, owned, all } = isOldest ? oldest : newest;
    const statement = name !== undefined ? named : ownerId !== undefined ? owned : all;
    const isScanned = [search, udid, tag, category].some((each) => each !== undefined);
    let place = before === undefined ? (isOldest ? OLDEST : NEWEST) : placeOf(before, ownerId);
    // The first query begins where the filter begins, so that it does not pass over sessions outside of it.
    if (place !== undefined && isOldest && place.startedAt < from) place = { ...OLDEST, startedAt: from };
    if (place !== undefined && !isOldest && to !== undefined && place.startedAt >= to)
      place = { ...NEWEST, startedAt: to - 1 };
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

function statements(connection: Connection) {
  // Without the unary plus, SQLite might use an index of `owner_id` or `status` that is not sorted by start time.
  const list = (through: string, place: string, order: 'asc' | 'desc') =>
    connection.prepare<ListParams, Found>(`
      select rowid as row, started_at as startedAt, (@search is null or ${SEARCHED})
          and (@udid is null or ifnull(json_extract(device, '$.udid') = @udid, 0))
          and (@category is null or ifnull(failure_category = @category, 0))
          and (@tag is null or exists (select 1 from json_each(tags) where value = @tag)) as fits
      from driver_sessions
      where ${through} and ${place}
        and (@ownerId is null or +owner_id = @ownerId) and (@status is null or +status = @status)
      order by started_at ${order}, rowid ${order} limit @scanned`);
  const lists = (place: string, order: 'asc' | 'desc') => ({
    all: list('true', place, order),
    owned: list('owner_id = @ownerId', place, order),
    named: list('name = @name', place, order),
  });
  return {
    newest: lists(
      'started_at <= @startedAt and (started_at < @startedAt or rowid < @row) and started_at >= @from',
      'desc',
    ),
    oldest: lists(
      'started_at >= @startedAt and (started_at > @startedAt or rowid > @row) and started_at < @to',
      'asc',
    ),
    place: connection.prepare<{ id: string }, Place & { ownerId: string | null }>(
      'select started_at as startedAt, rowid as row, owner_id as ownerId from driver_sessions where id = @id',
    ),
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
