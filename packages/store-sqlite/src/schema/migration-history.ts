import type Database from 'better-sqlite3';
import type { Migration } from 'kysely';
import { openDatabase } from '../connection/held-database.ts';
import { SchemaMismatch } from './schema-mismatch.ts';
import { type Shape, shapeOf } from './schema-shape.ts';

export type Migrations = Readonly<Record<string, Migration>>;

/** Names of the migrations this database went through, in order. */
export function appliedMigrations(database: Database.Database): string[] {
  const history = database.prepare("select 1 from sqlite_schema where name = 'kysely_migration'").get();
  if (history === undefined) return [];
  return database.prepare<[], string>('select name from kysely_migration order by name').pluck().all();
}

/** In the order they apply. */
export function namesOf(migrations: Migrations): string[] {
  return Object.keys(migrations).sort();
}

/** Applies what is pending. The caller holds the transaction: all of it happens or nothing does. */
export async function migrate(database: Database.Database, migrations: Migrations): Promise<void> {
  const { Kysely, Migrator, SqliteDialect } = await import('kysely');
  const migrator = new Migrator({
    db: new Kysely({ dialect: new SqliteDialect({ database }) }),
    provider: { getMigrations: async () => ({ ...migrations }) },
    disableTransactions: true,
  });
  const { error, results } = await migrator.migrateToLatest();
  if (error === undefined) return;
  const failed = results?.find(({ status }) => status === 'Error')?.migrationName;
  throw new SchemaMismatch(
    'rows',
    `The database could not be brought in sync: migration ${failed ?? ''} failed`,
    error,
  );
}

const shapes = new WeakMap<Migrations, Promise<Shape>>();

/** The tables these migrations make of an empty database. The same migrations are run once. */
export function shapeAfter(migrations: Migrations): Promise<Shape> {
  const known = shapes.get(migrations) ?? shapeOn(migrations);
  shapes.set(migrations, known);
  return known;
}

async function shapeOn(migrations: Migrations): Promise<Shape> {
  const empty = openDatabase(':memory:');
  try {
    if (Object.keys(migrations).length > 0) await migrate(empty, migrations);
    return shapeOf(empty);
  } finally {
    empty.close();
  }
}

/**
 * Writes the history as if every migration had been applied, for tables that have their shape some other way. Only ever
 * on an operator's word: a start leaves the history as it is, but for what it applies (specification 9.2 from 2.17).
 */
export async function recordAll(database: Database.Database, migrations: Migrations): Promise<void> {
  const nothing: Migration = { up: async () => undefined };
  database.exec('drop table if exists kysely_migration');
  await migrate(database, Object.fromEntries(Object.keys(migrations).map((name) => [name, nothing])));
}
