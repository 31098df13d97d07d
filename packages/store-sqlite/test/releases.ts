import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type Database from 'better-sqlite3';
import { expect } from 'vitest';
import { MIGRATIONS } from '../src/schema/migrations/index.ts';

const SCRIPT = fileURLToPath(new URL('../../../scripts/release-database.mjs', import.meta.url));

export function makeRelease(release: string, file: string): void {
  execFileSync(process.execPath, [SCRIPT, release, file]);
}

/**
 * Releases whose databases `scripts/release-database.mjs` can create, with the way in which this version upgrades each
 * database.
 */
export const RELEASES = [
  { release: '1.x', history: 'push' },
  { release: '2.12', history: 'push' },
  { release: '2.13', history: 'deploy' },
  { release: '2.14', history: 'deploy' },
  { release: '2.15', history: 'deploy' },
  { release: '2.16', history: 'deploy' },
  { release: '2.17', history: 'deploy' },
] as const;

type Row = Record<string, unknown>;

/** @returns the rows of all tables, by the current name of their table */
export function rowsOf(raw: Database.Database): Map<string, Row[]> {
  const tables = raw
    .prepare<[], string>(
      "select name from sqlite_schema where type = 'table' and name not like 'sqlite%' and name not like 'kysely%'",
    )
    .pluck()
    .all();
  return new Map(
    tables.map((table) => [
      table === 'phone_settings' ? 'DeviceSetting' : table,
      sorted(raw.prepare<[], Row>(`select * from "${table}"`).all()),
    ]),
  );
}

function sorted(rows: readonly Row[]): Row[] {
  return rows.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}

/** @returns the migration history of a database, or null if it has none */
export function historyOf(raw: Database.Database): { name: string; timestamp: string }[] | null {
  const isKept = raw.prepare("select 1 from sqlite_schema where name = 'kysely_migration'").get();
  return isKept === undefined
    ? null
    : raw
        .prepare<[], { name: string; timestamp: string }>('select * from kysely_migration order by name')
        .all();
}

/** Checks that all former rows are present, and that entries were added to the history only by a deploy. */
export function expectUpgraded(
  raw: Database.Database,
  before: { rows: ReturnType<typeof rowsOf>; history: ReturnType<typeof historyOf> },
  way: 'deploy' | 'push',
): void {
  const after = rowsOf(raw);
  for (const [table, rows] of before.rows) {
    const columns = Object.keys(rows[0] ?? {});
    const kept = (after.get(table) ?? []).map((row) =>
      Object.fromEntries(columns.map((column) => [column, row[column]])),
    );
    expect(kept, table).toEqual(rows);
  }
  expect(raw.pragma('integrity_check', { simple: true })).toBe('ok');
  expect(raw.pragma('foreign_key_check')).toEqual([]);
  const now = historyOf(raw);
  expect(now?.slice(0, before.history?.length)).toEqual(before.history ?? undefined);
  if (way === 'push') expect(now).toEqual(before.history);
  else expect(now?.map(({ name }) => name)).toEqual(Object.keys(MIGRATIONS).sort());
}
