import type Database from 'better-sqlite3';
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

/**
 * Applies the pending migrations in the caller's transaction, so that all of them take effect or none. The history has
 * the name and form that Kysely gave it, which earlier versions used.
 */
export function migrate(database: Database.Database, migrations: Migrations): void {
  database.exec(
    'create table if not exists kysely_migration (name varchar(255) not null primary key, timestamp varchar(255) not null)',
  );
  const applied = new Set(appliedMigrations(database));
  const add = database.prepare<[string]>(
    "insert into kysely_migration (name, timestamp) values (?, strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))",
  );
  for (const name of namesOf(migrations)) {
    if (applied.has(name)) continue;
    try {
      database.exec(migrations[name] ?? '');
      add.run(name);
    } catch (error) {
      throw new SchemaMismatch(
        'rows',
        `The database could not be brought in sync: migration ${name} failed`,
        error,
      );
    }
  }
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
    migrate(empty, migrations);
    return shapeOf(empty);
  } finally {
    empty.close();
  }
}

/**
 * Records all migrations as applied without applying them, for a database whose tables have the current shape already.
 * Runs only if an operator requests it (specification 9.2, release 2.17).
 */
export function recordAll(database: Database.Database, migrations: Migrations): void {
  database.exec('drop table if exists kysely_migration');
  migrate(database, Object.fromEntries(namesOf(migrations).map((name) => [name, ''])));
}
