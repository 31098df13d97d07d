import type Database from 'better-sqlite3';
import type { Migration } from 'kysely';
import { openDatabase } from '../connection/held-database.ts';
import type { Migrations } from './migrations/index.ts';
import { SchemaMismatch } from './schema-mismatch.ts';
import { type Shape, shapeOf } from './schema-shape.ts';

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
  // Kysely is loaded only when tables change, because loading it takes longer than the rest of a start.
  const { Kysely, Migrator, SqliteDialect } = await import('kysely');
  const migrator = new Migrator({
    db: new Kysely({ dialect: new SqliteDialect({ database }) }),
    provider: { getMigrations: async () => migrationsOn(database, migrations) },
    disableTransactions: true,
  });
  const { error, results } = await migrator.migrateToLatest();
  if (error === undefined) return;
  throw failure(results?.find(({ status }) => status === 'Error')?.migrationName, error);
}

/** Kysely runs one statement at a time, so the SQL of a migration, which has several, runs without it. */
function migrationsOn(database: Database.Database, migrations: Migrations): Record<string, Migration> {
  const entries = Object.entries(migrations).map(([name, sql]): [string, Migration] => [
    name,
    { up: async () => void database.exec(sql) },
  ]);
  return Object.fromEntries(entries);
}

/** Creates the tables of an empty database without a history. */
export function createTables(database: Database.Database, migrations: Migrations): void {
  for (const name of namesOf(migrations)) {
    try {
      database.exec(migrations[name] ?? '');
    } catch (error) {
      throw failure(name, error);
    }
  }
}

function failure(name = '', error: unknown): SchemaMismatch {
  const message = `The database could not be brought in sync: migration ${name} failed`;
  return new SchemaMismatch('rows', message, error);
}

const shapes = new WeakMap<Migrations, Shape>();

/** @returns the tables that the migrations create in an empty database. The result is cached for each `migrations`. */
export function shapeAfter(migrations: Migrations): Shape {
  const known = shapes.get(migrations) ?? shapeOn(migrations);
  shapes.set(migrations, known);
  return known;
}

function shapeOn(migrations: Migrations): Shape {
  const empty = openDatabase(':memory:');
  try {
    createTables(empty, migrations);
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
  database.exec('drop table if exists kysely_migration');
  await migrate(database, Object.fromEntries(namesOf(migrations).map((name) => [name, ''])));
}
