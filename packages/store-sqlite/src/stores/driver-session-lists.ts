import { type DriverSessionFilter, SEARCHED_SESSIONS } from '@svc/device-lab';
import type { Connection } from '../connection/connection.ts';
import type { DriverSessionRow } from '../schema/rows/lab.ts';

/**
 * Where a page of sessions begins: with the newest session that started before `startedAt`, or that started at
 * `startedAt` and has a `rowid` below `row`.
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
  readonly scanned: number;
  readonly limit: number;
}

const NEWEST: Place = { startedAt: Number.MAX_SAFE_INTEGER, row: Number.MAX_SAFE_INTEGER };

/** Reads pages of sessions, newest first. Each query uses the index that fits its filter. */
export class DriverSessionListRows {
  readonly #statements: ReturnType<typeof statements>;

  constructor(connection: Connection) {
    this.#statements = statements(connection);
  }

  list(filter: DriverSessionFilter): DriverSessionRow[] {
    const { ownerId, status, name, search, udid, tag, category, from = 0, to, before, limit } = filter;
    const begin = before === undefined ? NEWEST : this.#placeOf(before, ownerId);
    if (begin === undefined) return [];
    const place = to === undefined || begin.startedAt < to ? begin : { ...NEWEST, startedAt: to - 1 };
    const isScanned = [search, udid, tag, category].some((each) => each !== undefined);
    const { named, owned, all } = this.#statements;
    const statement = name !== undefined ? named : ownerId !== undefined ? owned : all;
    return statement.all({
      ...place,
      ownerId: ownerId ?? null,
      status: status ?? null,
      name: name ?? null,
      search: search === undefined ? null : asciiLower(search),
      udid: udid ?? null,
      tag: tag ?? null,
      category: category ?? null,
      from,
      scanned: isScanned ? SEARCHED_SESSIONS : limit,
      limit,
    });
  }

  #placeOf(id: string, ownerId: string | undefined): Place | undefined {
    const found = this.#statements.place.get({ id });
    if (found === undefined || (ownerId !== undefined && found.ownerId !== ownerId)) return undefined;
    return { startedAt: found.startedAt, row: found.row };
  }
}

function statements(connection: Connection) {
  // The inner query finds the row numbers of the page, and `cross join` makes SQLite read only these rows. Without the
  // unary plus, SQLite might use an index of `owner_id` or `status` that is not sorted by start time.
  const list = (through: string) =>
    connection.prepare<ListParams, DriverSessionRow>(`
      select s.* from (
        select row from (
          select rowid as row, * from driver_sessions
          where ${through} and started_at <= @startedAt and (started_at < @startedAt or rowid < @row)
            and started_at >= @from
            and (@ownerId is null or +owner_id = @ownerId) and (@status is null or +status = @status)
          order by started_at desc, rowid desc limit @scanned
        )
        where (@search is null or ${SEARCHED})
          and (@udid is null or json_extract(device, '$.udid') = @udid)
          and (@category is null or failure_category = @category)
          and (@tag is null or exists (select 1 from json_each(tags) where value = @tag))
        limit @limit
      ) as found
      cross join driver_sessions as s on s.rowid = found.row
      order by s.started_at desc, s.rowid desc`);
  return {
    all: list('true'),
    owned: list('owner_id = @ownerId'),
    named: list('name = @name'),
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
