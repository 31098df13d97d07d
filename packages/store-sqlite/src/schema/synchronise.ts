import type { Log } from '@svc/auth-core';
import type Database from 'better-sqlite3';
import { retryWhileBusy } from '../connection/retry-while-busy.ts';
import {
  appliedMigrations,
  type Migrations,
  migrate,
  namesOf,
  recordAll,
  shapeAfter,
} from './migration-history.ts';
import { SchemaMismatch } from './schema-mismatch.ts';
import { push } from './schema-push.ts';
import { differences, isSame, shapeOf } from './schema-shape.ts';

export interface SchemaRules {
  readonly autoMigrate: boolean;
  readonly migrations: Migrations;
  readonly log: Log;
}

/**
 * Start-up rules for the tables (specification 9.1.6): what is pending is applied; tables that do not follow from
 * their history are pushed into the shape this version wants; with `autoMigrate` off nothing is touched, and the
 * start stops when something is missing (contract 5). A database of a newer version is left alone.
 */
export async function synchroniseSchema(database: Database.Database, rules: SchemaRules): Promise<void> {
  const { autoMigrate, migrations, log } = rules;
  refuseNewer(database, migrations);
  if (!autoMigrate) return await refuseBehind(database, migrations);
  log.info('Syncing database schema');
  if ((await stepFor(database, migrations)) !== 'none') {
    await inTransaction(database, async () => {
      // Another process may have been first.
      refuseNewer(database, migrations);
      const step = await stepFor(database, migrations);
      if (step === 'deploy') await migrate(database, migrations);
      if (step === 'push') await pushAll(database, migrations);
      refuseBrokenReferences(database);
    });
  }
  log.info('Database schema in sync');
}

async function stepFor(
  database: Database.Database,
  migrations: Migrations,
): Promise<'none' | 'deploy' | 'push'> {
  const names = namesOf(migrations);
  const applied = appliedMigrations(database);
  const then = Object.fromEntries(Object.entries(migrations).filter(([name]) => applied.includes(name)));
  const inOrder = applied.every((name, at) => name === names[at]);
  if (!inOrder || !isSame(differences(shapeOf(database), await shapeAfter(then)))) return 'push';
  return applied.length === names.length ? 'none' : 'deploy';
}

async function pushAll(database: Database.Database, migrations: Migrations): Promise<void> {
  const wanted = await shapeAfter(migrations);
  try {
    push(database, wanted);
  } catch (error) {
    if (error instanceof SchemaMismatch) throw error;
    throw new SchemaMismatch(
      'The database could not be brought in sync: its rows do not fit the tables',
      error,
    );
  }
  await recordAll(database, migrations);
}

function refuseNewer(database: Database.Database, migrations: Migrations): void {
  const unknown = appliedMigrations(database).filter((name) => !Object.hasOwn(migrations, name));
  if (unknown.length === 0) return;
  throw new SchemaMismatch(
    `The database was made by a newer version of svc (it has been through ${unknown.join(', ')}). ` +
      'Start that version, or restore the backup made before the upgrade.',
  );
}

async function refuseBehind(database: Database.Database, migrations: Migrations): Promise<void> {
  const applied = new Set(appliedMigrations(database));
  const pending = Object.keys(migrations).filter((name) => !applied.has(name));
  const { missingTables, missingColumns } = differences(shapeOf(database), await shapeAfter(migrations));
  if (pending.length + missingTables.length + missingColumns.length === 0) return;
  throw schemaBehind('The database tables are missing or behind this version');
}

/** Contract 5, `SVC_AUTO_MIGRATE=false`. */
export function schemaBehind(what: string): SchemaMismatch {
  return new SchemaMismatch(
    `${what}, and SVC_AUTO_MIGRATE is false. Run \`svc migrate\`, or start once with SVC_AUTO_MIGRATE unset.`,
    undefined,
    true,
  );
}

function refuseBrokenReferences(database: Database.Database): void {
  const broken = database.prepare<[], { table: string }>('pragma foreign_key_check').all();
  if (broken.length === 0) return;
  const tables = [...new Set(broken.map(({ table }) => table))].join(', ');
  throw new SchemaMismatch(`The database has rows that belong to nothing, in ${tables}; restore a backup`);
}

/**
 * In one transaction, under the write lock. Foreign keys are off meanwhile: rebuilding a table would delete what
 * belongs to its rows.
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
