import type Database from 'better-sqlite3';
import type { Migration } from 'kysely';
import { openDatabase } from '../connection/held-database.ts';
import { SchemaMismatch } from './schema-mismatch.ts';
import { type Shape, shapeOf } from './schema-shape.ts';

export type Migrations = Readonly<Record<string, Migration>>;

/** @returns the names of the migrations applied to this database, in order; empty if it has no history */
export function appliedMigrations(database: Database.Database): string[] {
  const history = database.prepare("select 1 from sqlite_schema where name = 'kysely_migration'").get();
  if (history === undefined) return [];
  return database.prepare<[], string>('select name from kysely_migration order by name').pluck().all();
}

/** @returns the names of the migrations, in the order they are applied */
export function namesOf(migrations: Migrations): string[] {
  return Object.keys(migrations).sort();
}

/** Applies the pending migrations in the caller's transaction, so that all of them take effect or none. */
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

/** @returns the tables that the migrations create in an empty database. The result is cached for each `migrations`. */
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
 * Records all migrations as applied without applying them, for a database whose tables have the current shape already.
 * Runs only if an operator requests it (specification 9.2, release 2.17).
 */
export async function recordAll(database: Database.Database, migrations: Migrations): Promise<void> {
  const nothing: Migration = { up: async () => undefined };
  database.exec('drop table if exists kysely_migration');
  await migrate(database, Object.fromEntries(Object.keys(migrations).map((name) => [name, nothing])));
}
