import type Database from 'better-sqlite3';
import { SchemaMismatch } from './schema-mismatch.ts';
import { type Differences, differences, type Shape, shapeOf } from './schema-shape.ts';

/**
 * Makes the tables what this version wants, whatever they are now and however they came to be so; nothing that
 * holds data is deleted (specification 9.1.6). Runs inside the caller's transaction, foreign keys off.
 */
export function push(database: Database.Database, wanted: Shape): void {
  const difference = differences(shapeOf(database), wanted);
  refuseLosses(database, difference);
  for (const table of difference.extraTables) database.exec(`drop table ${quoted(table)}`);
  for (const table of difference.missingTables) create(database, wanted, table);
  for (const table of difference.changedTables) rebuild(database, wanted, table);
  // A table takes its indexes with it when it is rebuilt, so this is asked again.
  for (const name of differences(shapeOf(database), wanted).missingIndexes) {
    database.exec(`drop index if exists ${quoted(name)}`);
    database.exec(wanted.indexes.get(name)?.sql ?? '');
  }
}

function refuseLosses(database: Database.Database, difference: Differences): void {
  const tables = difference.extraTables.filter((table) =>
    holdsRows(database, `select 1 from ${quoted(table)}`),
  );
  const columns = difference.extraColumns.filter(({ table, column }) =>
    holdsRows(database, `select 1 from ${quoted(table)} where ${quoted(column)} is not null`),
  );
  if (tables.length + columns.length === 0) return;
  const commands = [
    ...tables.map((table) => `DROP TABLE ${quoted(table)};`),
    ...columns.map(({ table, column }) => `ALTER TABLE ${quoted(table)} DROP COLUMN ${quoted(column)};`),
  ];
  throw new SchemaMismatch(
    [
      'The database holds data this version has no place for. To start, it would have to delete that data.',
      'Back up the file, keep what you need, and remove the rest yourself:',
      '',
      `  sqlite3 ${JSON.stringify(database.name)} <<'SQL'`,
      ...commands.map((command) => `  ${command}`),
      '  SQL',
    ].join('\n'),
  );
}

function holdsRows(database: Database.Database, query: string): boolean {
  return database.prepare(`${query} limit 1`).get() !== undefined;
}

function create(database: Database.Database, wanted: Shape, table: string, name = table): void {
  const sql = wanted.tables.get(table)?.sql ?? '';
  database.exec(sql.replace(quoted(table), quoted(name)));
}

/** SQLite's own recipe for any change of a table: make the new one, copy, swap. */
function rebuild(database: Database.Database, wanted: Shape, table: string): void {
  const fresh = `${table}__new`;
  const present = new Set(shapeOf(database).tables.get(table)?.columns);
  const shared = (wanted.tables.get(table)?.columns ?? []).filter((column) => present.has(column));
  const columns = shared.map(quoted).join(', ');
  create(database, wanted, table, fresh);
  database.exec(`insert into ${quoted(fresh)} (${columns}) select ${columns} from ${quoted(table)}`);
  database.exec(`drop table ${quoted(table)}`);
  database.exec(`alter table ${quoted(fresh)} rename to ${quoted(table)}`);
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
