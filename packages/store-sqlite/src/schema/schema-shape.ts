import type Database from 'better-sqlite3';

/** Tables and indexes of a database. They can be compared even if different SQL statements created them. */
export interface Shape {
  readonly tables: ReadonlyMap<string, TableShape>;
  readonly indexes: ReadonlyMap<string, IndexShape>;
}

interface TableShape {
  readonly sql: string;
  readonly columns: readonly string[];
  /** Text that describes the shape of the table. Two tables have the same shape exactly if their texts are equal. */
  readonly signature: string;
}

interface IndexShape {
  readonly sql: string;
  readonly signature: string;
}

export interface Differences {
  readonly missingTables: readonly string[];
  readonly changedTables: readonly string[];
  readonly extraTables: readonly string[];
  /** Columns that the changed tables have in the database but not in this svc version. */
  readonly extraColumns: readonly { table: string; column: string }[];
  readonly missingColumns: readonly { table: string; column: string }[];
  readonly missingIndexes: readonly string[];
}

/**
 * SQL condition that excludes SQLite's own tables, the migration history and the tables that Litestream adds to a
 * database it replicates.
 */
const OURS = ['sqlite\\_', 'kysely\\_', '\\_litestream\\_']
  .map((prefix) => `name not like '${prefix}%' escape '\\'`)
  .join(' and ');

export function shapeOf(database: Database.Database): Shape {
  const entries = database
    .prepare<[], { type: string; name: string; sql: string | null }>(
      `select type, name, sql from sqlite_schema where ${OURS} and type in ('table', 'index')`,
    )
    .all();
  const tableShape = tableShapes(database);
  const tables = new Map<string, TableShape>();
  const indexes = new Map<string, IndexShape>();
  for (const { type, name, sql } of entries) {
    if (sql === null) continue;
    if (type === 'table') tables.set(name, tableShape(name, sql));
    else indexes.set(name, { sql, signature: sql.replaceAll('"', '').replaceAll(/\s+/g, ' ').toLowerCase() });
  }
  return { tables, indexes };
}

/**
 * Creates a function that describes a table. Its statements are prepared once for all tables, because a prepared
 * statement is never freed (`held-database.ts`).
 */
function tableShapes(database: Database.Database): (name: string, sql: string) => TableShape {
  const columns = database
    .prepare<[string], string>('select name from pragma_table_xinfo(?) order by name')
    .pluck();
  const parts = [
    `select name, upper(type), "notnull", dflt_value, pk from pragma_table_xinfo(?) order by name`,
    `select "from", "table", "to", on_update, on_delete from pragma_foreign_key_list(?) order by 1, 2, 3`,
    // Selects only the indexes that come from `unique` and `primary key`. `shapeOf` lists the other indexes.
    `select (select json_group_array(name) from pragma_index_info(list.name)), origin
     from pragma_index_list(?) as list where origin <> 'c' order by 1`,
    `select strict, wr from pragma_table_list where name = ? and schema = 'main'`,
  ].map((source) => database.prepare<[string]>(source).raw());
  return (name, sql) => ({
    sql,
    columns: columns.all(name),
    signature: JSON.stringify(parts.map((part) => part.all(name))),
  });
}

/**
 * @returns what must change in `actual` for it to become `wanted`. Indexes that only `actual` has are harmless, so they
 * are not listed.
 */
export function differences(actual: Shape, wanted: Shape): Differences {
  const changed = [...wanted.tables].filter(([name, table]) => {
    const present = actual.tables.get(name);
    return present !== undefined && present.signature !== table.signature;
  });
  const columnsOf = (shape: Shape, table: string) => shape.tables.get(table)?.columns ?? [];
  const beyond = (one: Shape, other: Shape) =>
    changed.flatMap(([table]) => {
      const known = new Set(columnsOf(other, table));
      return columnsOf(one, table)
        .filter((column) => !known.has(column))
        .map((column) => ({ table, column }));
    });
  return {
    missingTables: [...wanted.tables.keys()].filter((name) => !actual.tables.has(name)),
    changedTables: changed.map(([name]) => name),
    extraTables: [...actual.tables.keys()].filter((name) => !wanted.tables.has(name)),
    extraColumns: beyond(actual, wanted),
    missingColumns: beyond(wanted, actual),
    missingIndexes: [...wanted.indexes]
      .filter(([name, index]) => actual.indexes.get(name)?.signature !== index.signature)
      .map(([name]) => name),
  };
}

export function isSame(difference: Differences): boolean {
  return Object.values(difference).every((list) => list.length === 0);
}
