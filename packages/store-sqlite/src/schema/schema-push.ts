import type Database from 'better-sqlite3';
import { SchemaMismatch } from './schema-mismatch.ts';
import { type Differences, differences, type Shape, shapeOf } from './schema-shape.ts';

/**
 * Current names of tables by their names in older releases. Such a table is renamed instead of creating an empty one, so
 * that its rows are kept.
 */
export const RENAMED_TABLES: Readonly<Record<string, string>> = { phone_settings: 'DeviceSetting' };

/** Data that would be deleted, because this svc version has no table or column for it. */
interface Loss {
  readonly table: string;
  /** Name of the column, or undefined if the whole table is deleted. */
  readonly column?: string;
  readonly rows: number;
}

/**
 * Gives the tables the shape that this svc version needs, regardless of their current shape and migration history.
 * Tables and columns that hold data are deleted only if `acceptLoss` is set; otherwise the function throws
 * (specification 9.1.6). Call it inside a transaction with foreign keys off.
 * @param acceptLoss whether the operator allows deleting data for which this svc version has no table or column
 */
export function push(database: Database.Database, wanted: Shape, acceptLoss: boolean): void {
  renameTables(database);
  const difference = differences(shapeOf(database), wanted);
  const losses = lossesOf(database, difference);
  if (losses.length > 0 && !acceptLoss) throw new SchemaMismatch('loss', adviceOn(database, losses));
  for (const table of difference.extraTables) database.exec(`drop table ${quoted(table)}`);
  for (const table of difference.missingTables) create(database, wanted, table);
  for (const table of difference.changedTables) rebuild(database, wanted, table);
  // Compare again, because rebuilding a table has removed its indexes.
  for (const name of differences(shapeOf(database), wanted).missingIndexes) {
    database.exec(`drop index if exists ${quoted(name)}`);
    database.exec(wanted.indexes.get(name)?.sql ?? '');
  }
}

/**
 * Renames tables of older releases to their current names. If a table with the current name exists too, the old table
 * keeps its name and is treated like any table that this svc version does not have.
 */
function renameTables(database: Database.Database): void {
  const { tables } = shapeOf(database);
  for (const [before, now] of Object.entries(RENAMED_TABLES)) {
    if (tables.has(before) && !tables.has(now))
      database.exec(`alter table ${quoted(before)} rename to ${quoted(now)}`);
  }
}

function lossesOf(database: Database.Database, { extraTables, extraColumns }: Differences): Loss[] {
  const tables = extraTables.map((table) => ({ table, rows: count(database, table) }));
  const columns = extraColumns.map(({ table, column }) => ({
    table,
    column,
    rows: count(database, table, `where ${quoted(column)} is not null`),
  }));
  return [...tables, ...columns].filter(({ rows }) => rows > 0);
}

const rowsOf = (count: number): string => (count === 1 ? '1 row' : `${count} rows`);

function adviceOn(database: Database.Database, losses: readonly Loss[]): string {
  const commands = losses.map(({ table, column }) =>
    column === undefined
      ? `DROP TABLE ${quoted(table)};`
      : `ALTER TABLE ${quoted(table)} DROP COLUMN ${quoted(column)};`,
  );
  const found = losses.map(({ table, column, rows }) =>
    column === undefined
      ? `  table ${table}: ${rowsOf(rows)}`
      : `  column ${table}.${column}: a value in ${rowsOf(rows)}`,
  );
  return [
    'The database holds data that this version does not store. To start, the server would have to delete it:',
    '',
    ...found,
    '',
    "Nothing was changed. Run these commands in this order, with the server's SVC_* variables set:",
    '',
    '  svc backup                          backs up everything',
    '  svc upgrade --plan --accept-loss    tries the upgrade on a copy',
    '  svc upgrade --accept-loss           upgrades and deletes that data',
    '',
    'Or copy what you need, and then remove the rest by hand:',
    '',
    `  sqlite3 ${JSON.stringify(database.name)} <<'SQL'`,
    ...commands.map((command) => `  ${command}`),
    '  SQL',
  ].join('\n');
}

function count(database: Database.Database, table: string, where = ''): number {
  const rows = database
    .prepare<[], number>(`select count(*) from ${quoted(table)} ${where}`)
    .pluck()
    .get();
  return rows ?? 0;
}

function create(database: Database.Database, wanted: Shape, table: string, name = table): void {
  const sql = wanted.tables.get(table)?.sql ?? '';
  database.exec(sql.replace(/^create table (?:"[^"]+"|\w+)/i, `create table ${quoted(name)}`));
}

/**
 * Changes a table in the way that the SQLite documentation recommends: creates a new table, copies the rows and
 * replaces the old table.
 */
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
