import type { Log } from '@svc/auth-core';
import type Database from 'better-sqlite3';
import { retryWhileBusy } from '../connection/retry-while-busy.ts';
import { appliedMigrations, type Migrations, migrate, recordAll, shapeAfter } from './migration-history.ts';
import { SchemaMismatch } from './schema-mismatch.ts';
import { planFor, type SchemaPlan } from './schema-plan.ts';
import { type PushRules, push } from './schema-push.ts';
import { isSame } from './schema-shape.ts';

/** What may be done besides bringing the tables in sync; all off at a start. */
export interface SchemaWishes {
  /** Data without a place in this version may go. */
  readonly acceptLoss?: boolean;
  /** Writes the history of tables that are in sync and do not follow from it. */
  readonly baseline?: boolean;
}

export interface SchemaRules extends SchemaWishes {
  readonly autoMigrate: boolean;
  readonly migrations: Migrations;
  readonly renamedTables: PushRules['renamed'];
  readonly log: Log;
  /**
   * Called before the change of a database with tables is committed: others, a backup too, still read it as it was, and
   * nobody else can write. A throw leaves it so. What it answers is called when the commit fails after all.
   */
  readonly beforeChange?: (() => () => void) | undefined;
}

/**
 * Start-up rules for the tables (specification 9.1.6): what is pending is applied; tables that do not follow from
 * their history, and those a migration failed on, are pushed into the shape this version wants; with `autoMigrate` off
 * nothing is touched, and the start stops when something is missing (contract 5). A database of a newer version is left
 * alone. The history is only ever appended to.
 */
export async function synchroniseSchema(database: Database.Database, rules: SchemaRules): Promise<void> {
  const { autoMigrate, migrations, log } = rules;
  refuseNewer(database, migrations);
  if (!autoMigrate) return await refuseBehind(database, migrations);
  log.info('Syncing database schema');
  if ((await planFor(database, migrations)).step !== 'none') {
    let undo: (() => void) | undefined;
    const work = async () => {
      // Another process may have been first.
      refuseNewer(database, migrations);
      const plan = await planFor(database, migrations);
      if (plan.step === 'none') return;
      await carryOut(plan, database, rules);
      refuseBrokenReferences(database);
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

async function carryOut(plan: SchemaPlan, database: Database.Database, rules: SchemaRules): Promise<void> {
  if (plan.step === 'deploy' && (await deployed(database, rules))) return;
  await pushAll(database, rules);
}

/** False: a migration failed, and the database is as it was. Throws if it fails on an empty database as well. */
async function deployed(
  database: Database.Database,
  { migrations, log }: Pick<SchemaRules, 'migrations' | 'log'>,
): Promise<boolean> {
  database.exec('savepoint deploy');
  try {
    await migrate(database, migrations);
    database.exec('release deploy');
    return true;
  } catch (error) {
    // SQLite has rolled back everything by itself when the disk is full.
    if (!database.inTransaction || !(error instanceof SchemaMismatch)) throw error;
    database.exec('rollback to deploy; release deploy');
    if (isOfTheDisk(error.cause)) throw error.cause;
    await shapeAfter(migrations).catch(() => {
      throw error;
    });
    log.warn(`${error.message}; its tables are pushed into the shape of this version instead`, {
      cause: String(error.cause),
    });
    return false;
  }
}

/** Not a fault of the migration: a push would fail as well, or leave less behind than there could be. */
function isOfTheDisk(error: unknown): boolean {
  const { code = '' } = (error ?? {}) as { code?: string };
  return /^SQLITE_(?:FULL|IOERR|READONLY|CORRUPT|NOTADB|NOMEM|CANTOPEN)/.test(code);
}

async function pushAll(
  database: Database.Database,
  { migrations, renamedTables, acceptLoss = false }: SchemaRules,
): Promise<void> {
  const wanted = await shapeAfter(migrations);
  try {
    push(database, wanted, { renamed: renamedTables, acceptLoss });
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
    const { differences } = await planFor(database, migrations);
    if (isSame(differences)) await recordAll(database, migrations);
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

async function refuseBehind(database: Database.Database, migrations: Migrations): Promise<void> {
  const { step, differences } = await planFor(database, migrations);
  const { missingTables, missingColumns } = differences;
  const isBehind = step === 'deploy' || missingTables.length + missingColumns.length > 0;
  if (isBehind) throw schemaBehind('The database tables are missing or behind this version');
}

/** Contract 5, `SVC_AUTO_MIGRATE=false`. */
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
    `The database has rows that belong to nothing, in ${tables}; restore a backup`,
  );
}

/**
 * In one transaction, under the write lock. Foreign keys are off meanwhile: rebuilding a table would delete what
 * belongs to its rows.
 */
export async function inTransaction(database: Database.Database, work: () => Promise<void>): Promise<void> {
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
