import type { Log } from '@svc/auth-core';
import type Database from 'better-sqlite3';
import { retryWhileBusy } from '../connection/retry-while-busy.ts';
import { appliedMigrations, migrate, namesOf, recordAll, shapeAfter } from './migration-history.ts';
import { MIGRATIONS, type Migrations } from './migrations/index.ts';
import { SchemaMismatch } from './schema-mismatch.ts';
import { planFor } from './schema-plan.ts';
import { push } from './schema-push.ts';
import { isSame, type Shape } from './schema-shape.ts';

/** Options that allow changes beyond those a start of the server may make. The command `svc upgrade` sets them. */
export interface SchemaChoices {
  /** Whether to allow deleting data for which this svc version has no table or column. */
  readonly acceptLoss?: boolean;
  /**
   * Whether to replace the migration history by one that lists every migration. Has an effect only if the tables
   * already are those of this svc version.
   */
  readonly baseline?: boolean;
}

export interface SchemaRules extends SchemaChoices {
  readonly autoMigrate: boolean;
  /** Default: all migrations of this svc version. */
  readonly migrations?: Migrations;
  readonly log: Log;
  /**
   * Called before a change of a database with tables is committed. During the call, other connections (also the one
   * that makes a backup) read the unchanged database and cannot write. If it throws, nothing is changed. It returns a
   * function, which is called if the commit fails.
   */
  readonly beforeChange?: (() => () => void) | undefined;
}

/**
 * Changes the tables into those of this svc version (specification 9.1.6). Applies the pending migrations. If the
 * tables do not match the migration history, or a migration fails on them, changes them directly instead
 * (`schema-push.ts`). With `autoMigrate` off, changes nothing and throws if the tables are out of date (contract 5).
 * Also throws, without a change, if a newer svc version has changed the database.
 */
export async function synchroniseSchema(database: Database.Database, rules: SchemaRules): Promise<void> {
  const { autoMigrate, migrations = MIGRATIONS, log } = rules;
  refuseNewer(database, migrations);
  if (!autoMigrate) return refuseBehind(database, migrations);
  log.info('Syncing database schema');
  if (!isAsLeft(database, migrations) && planFor(database, migrations).step !== 'none') {
    let undo: (() => void) | undefined;
    const work = async () => {
      // Check again under the write lock, because another process may have changed the tables since the first check.
      refuseNewer(database, migrations);
      const plan = planFor(database, migrations);
      if (plan.step === 'none') return;
      if (plan.step === 'push' || !(await deployed(database, migrations, log)))
        pushAll(database, shapeAfter(migrations), rules.acceptLoss ?? false);
      refuseBrokenReferences(database);
      database.exec(`pragma user_version = ${schemaVersion(database)}`);
      if (!plan.isEmpty) undo = rules.beforeChange?.();
    };
    await inTransaction(database, work).catch((error) => {
      undo?.();
      throw error;
    });
  }
  if (rules.baseline) await baseline(database, migrations);
  log.info('Database schema in sync');
}

/**
 * Returns whether all migrations were applied and the tables have not changed since, so that a start need not compare
 * them. SQLite increases `schema_version` with each change. The last start that changed the tables stored it as
 * `user_version`.
 */
function isAsLeft(database: Database.Database, migrations: Migrations): boolean {
  const left = database.prepare<[], number>('pragma user_version').pluck().get();
  return (
    left === schemaVersion(database) && appliedMigrations(database).length === namesOf(migrations).length
  );
}

function schemaVersion(database: Database.Database): number | undefined {
  return database.prepare<[], number>('pragma schema_version').pluck().get();
}

/**
 * Applies the pending migrations. If one fails, undoes them all.
 * @returns true if all succeeded, or false if a migration failed because of this database's content
 * @throws the error if the disk or the file caused it
 */
async function deployed(database: Database.Database, migrations: Migrations, log: Log): Promise<boolean> {
  database.exec('savepoint deploy');
  try {
    await migrate(database, migrations);
    database.exec('release deploy');
    return true;
  } catch (error) {
    // Nothing can be undone here if SQLite has already rolled back the whole transaction, for example on a full disk.
    if (!database.inTransaction || !(error instanceof SchemaMismatch)) throw error;
    database.exec('rollback to deploy; release deploy');
    if (isOfTheDisk(error.cause)) throw error.cause;
    log.warn(`${error.message}; its tables are changed directly into the shape of this version instead`, {
      cause: String(error.cause),
    });
    return false;
  }
}

/**
 * Returns whether the disk, the memory or the database file caused a migration to fail. In that case the tables must
 * not be changed directly instead (`schema-push.ts`), because this would fail in the same way or lose data.
 */
function isOfTheDisk(error: unknown): boolean {
  const { code = '' } = (error ?? {}) as { code?: string };
  return /^SQLITE_(?:FULL|IOERR|READONLY|CORRUPT|NOTADB|NOMEM|CANTOPEN)/.test(code);
}

function pushAll(database: Database.Database, wanted: Shape, acceptLoss: boolean): void {
  try {
    push(database, wanted, acceptLoss);
  } catch (error) {
    if (error instanceof SchemaMismatch || isOfTheDisk(error)) throw error;
    throw new SchemaMismatch(
      'rows',
      'The database could not be brought in sync: its rows do not fit the tables',
      error,
    );
  }
}

async function baseline(database: Database.Database, migrations: Migrations): Promise<void> {
  await inTransaction(database, async () => {
    if (isSame(planFor(database, migrations).differences)) await recordAll(database, migrations);
  });
}

function refuseNewer(database: Database.Database, migrations: Migrations): void {
  const unknown = appliedMigrations(database).filter((name) => !Object.hasOwn(migrations, name));
  if (unknown.length === 0) return;
  throw new SchemaMismatch(
    'newer',
    `The database was made by a newer version of svc (it has been through ${unknown.join(', ')}). ` +
      'Start that version, or restore the backup made before the upgrade: `svc backup list`, `svc restore`.',
  );
}

function refuseBehind(database: Database.Database, migrations: Migrations): void {
  if (isAsLeft(database, migrations)) return;
  const { step, differences } = planFor(database, migrations);
  const { missingTables, missingColumns } = differences;
  const isBehind = step === 'deploy' || missingTables.length + missingColumns.length > 0;
  if (isBehind) throw schemaBehind('The database tables are missing or behind this version');
}

/** Creates the error for tables that must change while `SVC_AUTO_MIGRATE` is false (contract 5). */
export function schemaBehind(what: string, command = 'svc migrate'): SchemaMismatch {
  return new SchemaMismatch(
    'behind',
    `${what}, and SVC_AUTO_MIGRATE is false. Run \`${command}\`, or start once with SVC_AUTO_MIGRATE unset.`,
  );
}

function refuseBrokenReferences(database: Database.Database): void {
  const broken = database.prepare<[], { table: string }>('pragma foreign_key_check').all();
  if (broken.length === 0) return;
  const tables = [...new Set(broken.map(({ table }) => table))].join(', ');
  throw new SchemaMismatch(
    'rows',
    `The database has rows that refer to missing rows, in ${tables}. Restore a backup.`,
  );
}

/**
 * Runs the work in one transaction under the write lock. Foreign keys are off meanwhile. Otherwise, replacing a table
 * would delete the rows of other tables that refer to it (`on delete cascade`).
 */
async function inTransaction(database: Database.Database, work: () => Promise<void>): Promise<void> {
  database.exec('pragma foreign_keys = off');
  try {
    await retryWhileBusy(() => database.exec('begin immediate'));
    await work();
    database.exec('commit');
  } catch (error) {
    if (database.inTransaction) database.exec('rollback');
    throw error;
  } finally {
    database.exec('pragma foreign_keys = on');
  }
}
