import type Database from 'better-sqlite3';
import { SchemaMismatch } from './schema-mismatch.ts';
import { type Differences, differences, type Shape, shapeOf } from './schema-shape.ts';

export interface PushRules {
  /** Names of tables by the names they had before. */
  readonly renamed: Readonly<Record<string, string>>;
  /** The operator has said that data without a place may go. */
  readonly acceptLoss: boolean;
}

/** Rows or values that this version has no place for. */
interface Loss {
  readonly table: string;
  /** Undefined: the whole table. */
  readonly column?: string;
  readonly rows: number;
}

/**
 * Makes the tables what this version wants, whatever they are now and however they came to be so; nothing that
 * holds data is deleted unless it may be (specification 9.1.6). Runs inside the caller's transaction, foreign keys off.
 */
export function push(database: Database.Database, wanted: Shape, { renamed, acceptLoss }: PushRules): void {
  renameTables(database, renamed);
  const difference = differences(shapeOf(database), wanted);
  const losses = lossesOf(database, difference);
  if (losses.length > 0 && !acceptLoss) throw new SchemaMismatch('loss', adviceOn(database, losses));
  for (const table of difference.extraTables) database.exec(`drop table ${quoted(table)}`);
  for (const table of difference.missingTables) create(database, wanted, table);
  for (const table of difference.changedTables) rebuild(database, wanted, table);
  // A table takes its indexes with it when it is rebuilt, so this is asked again.
  for (const name of differences(shapeOf(database), wanted).missingIndexes) {
    database.exec(`drop index if exists ${quoted(name)}`);
    database.exec(wanted.indexes.get(name)?.sql ?? '');
  }
}

/** Where both are there, the older one is a table like any other. */
function renameTables(database: Database.Database, renamed: PushRules['renamed']): void {
  const { tables } = shapeOf(database);
  for (const [before, now] of Object.entries(renamed)) {
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

function adviceOn(database: Database.Database, losses: readonly Loss[]): string {
  const commands = losses.map(({ table, column }) =>
    column === undefined
      ? `DROP TABLE ${quoted(table)};`
      : `ALTER TABLE ${quoted(table)} DROP COLUMN ${quoted(column)};`,
  );
  const found = losses.map(({ table, column, rows }) =>
    column === undefined
      ? `  table ${table}: ${rows} rows`
      : `  column ${table}.${column}: a value in ${rows} rows`,
  );
  return [
    'The database holds data this version has no place for. To start, it would have to delete that data:',
    '',
    ...found,
    '',
    "Nothing was changed. With the server's SVC_* variables, in this order:",
    '',
    '  svc backup                          keeps a copy of everything',
    '  svc upgrade --plan --accept-loss    tries it on a copy',
    '  svc upgrade --accept-loss           lets that data go',
    '',
    'Or keep what you need of it, and remove the rest by hand:',
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
