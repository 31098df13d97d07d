import type { Log } from '@svc/auth-core';
import type Database from 'better-sqlite3';
import { openDatabase } from '../connection/held-database.ts';
import { CURRENT_MIGRATIONS, CURRENT_TABLES } from './current-tables.ts';
import { appliedMigrations, type Migrations, shapeAfter } from './migration-history.ts';
import { RENAMED_TABLES } from './renamed-tables.ts';
import { differences, isSame, type Shape, shapeOf } from './schema-shape.ts';
import { inTransaction, type SchemaRules, synchroniseSchema } from './synchronise.ts';

/**
 * Options of `synchroniseCurrent`: those of `synchroniseSchema` without the migrations, which are always this
 * version's.
 */
type CurrentRules = Omit<SchemaRules, 'migrations' | 'renamedTables'>;

export async function loadMigrations(): Promise<Migrations> {
  const { MIGRATIONS } = await import('./migrations/index.ts');
  return MIGRATIONS;
}

/**
 * Brings the tables in sync with the current version, as `synchroniseSchema` does, but avoids the migrations if
 * possible, because loading and running them takes longer than the rest of a start (docs/decisions/0025). A database
 * whose tables equal those in `current-tables.ts` is not changed. In an empty database, those tables are created
 * directly.
 * @returns the shape of the tables
 */
export async function synchroniseCurrent(database: Database.Database, rules: CurrentRules): Promise<Shape> {
  const wanted = currentShape();
  const { autoMigrate, baseline = false, log } = rules;
  if (!baseline && (isCurrent(database, wanted) || (autoMigrate && (await createdIn(database))))) {
    if (autoMigrate) sayInSync(log);
    return wanted;
  }
  const migrations = await loadMigrations();
  await synchroniseSchema(database, { ...rules, migrations, renamedTables: RENAMED_TABLES });
  return await shapeAfter(migrations);
}

let known: Shape | undefined;

function currentShape(): Shape {
  if (known !== undefined) return known;
  const empty = openDatabase(':memory:');
  try {
    empty.exec(CURRENT_TABLES);
    known = shapeOf(empty);
    return known;
  } finally {
    empty.close();
  }
}

function isCurrent(database: Database.Database, wanted: Shape): boolean {
  const applied = appliedMigrations(database);
  const isApplied =
    applied.length === CURRENT_MIGRATIONS.length &&
    applied.every((name, at) => name === CURRENT_MIGRATIONS[at]);
  return isApplied && isSame(differences(shapeOf(database), wanted));
}

/**
 * Creates the tables, indexes and history in an empty database, in one transaction.
 * @returns false if the database was not empty, in which case nothing is changed
 */
async function createdIn(database: Database.Database): Promise<boolean> {
  if (!isEmpty(database)) return false;
  let isCreated = false;
  await inTransaction(database, async () => {
    // Checks again under the write lock, because another process may have created the tables first.
    if (!isEmpty(database)) return;
    database.exec(CURRENT_TABLES);
    const add = database.prepare<[string]>(
      "insert into kysely_migration (name, timestamp) values (?, strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))",
    );
    for (const name of CURRENT_MIGRATIONS) add.run(name);
    database.exec("insert into kysely_migration_lock (id, is_locked) values ('migration_lock', 0)");
    isCreated = true;
  });
  return isCreated;
}

function isEmpty(database: Database.Database): boolean {
  return database.prepare('select 1 from sqlite_schema').get() === undefined;
}

function sayInSync(log: Log): void {
  log.info('Syncing database schema');
  log.info('Database schema in sync');
}
