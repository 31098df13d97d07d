import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { migrate, namesOf } from '../src/schema/migration-history.ts';
import { MIGRATIONS } from '../src/schema/migrations/index.ts';
import { eachTestItsPlace } from './place.ts';

const place = eachTestItsPlace();

/** @returns everything in a database except what SQLite creates on its own */
function contentOf(database: Database.Database) {
  const entries = database
    .prepare<[], { type: string; name: string; sql: string }>(
      "select type, name, sql from sqlite_schema where sql is not null and name <> 'sqlite_sequence' order by rowid",
    )
    .all();
  const tables = entries.filter(({ type }) => type === 'table');
  const rows = tables.map(({ name }) => [name, database.prepare(`select * from "${name}"`).raw().all()]);
  return { entries, rows: Object.fromEntries(rows) as Record<string, unknown[][]> };
}

async function migrated(): Promise<Database.Database> {
  const database = new Database(':memory:');
  await migrate(database, MIGRATIONS);
  return database;
}

const DATE = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

// Run `vitest run packages/store-sqlite/test/current-tables.test.ts -u` to generate `current-tables.ts` again.
it('current-tables.ts is what all migrations make of an empty database (specification 9.1.6)', async () => {
  const { entries } = contentOf(await migrated());
  const names = namesOf(MIGRATIONS).map((name) => `  '${name}',\n`);
  const statements = entries.map(({ sql }) => `${sql};\n`);
  const file =
    '// Generated from the migrations by test/current-tables.test.ts; do not edit.\n\n' +
    `/** Names of all migrations, in order. */\nexport const CURRENT_MIGRATIONS = [\n${names.join('')}] as const;\n\n` +
    `/** Tables and indexes that all migrations create in an empty database. No migration adds rows. */\nexport const CURRENT_TABLES = \`\n${statements.join('')}\`;\n`;
  await expect(file).toMatchFileSnapshot('../src/schema/current-tables.ts');
});

it('a first start leaves what running every migration would (specification 9.1.6)', async () => {
  const expected = contentOf(await migrated());
  (await place().open()).close();
  const made = contentOf(place().raw());
  expect(made.entries).toEqual(expected.entries);
  for (const { rows } of [made, expected]) {
    for (const row of rows.kysely_migration ?? []) expect(row.pop()).toMatch(DATE);
  }
  const { audit_marks: _made, ...rows } = made.rows;
  const { audit_marks: _expected, ...wanted } = expected.rows;
  expect(rows).toEqual(wanted);
});

it('one of several simultaneous first starts creates the tables, and all of them run (specification 9.1.6)', async () => {
  const stores = await Promise.all([place().open(), place().open(), place().open()]);
  for (const store of stores) expect(store.ready()).toEqual({ database: true, migrations: true });
});
