import type Database from 'better-sqlite3';
import { appliedMigrations, type Migrations, namesOf, shapeAfter } from './migration-history.ts';
import { type Differences, differences, isSame, shapeOf } from './schema-shape.ts';

/**
 * Changes that a start of the server makes to a database (specification 9.1.6). `deploy` applies the pending
 * migrations; it is planned if the tables match the migration history. Otherwise, `push` changes the tables directly
 * into those of this svc version.
 */
export interface SchemaPlan {
  readonly step: 'none' | 'deploy' | 'push';
  /** Names of the migrations that `deploy` applies. */
  readonly pending: readonly string[];
  /** Differences between the current tables and those of this svc version. */
  readonly differences: Differences;
  /** Whether the database has no tables yet, so that no data can be lost. */
  readonly isEmpty: boolean;
}

export async function planFor(database: Database.Database, migrations: Migrations): Promise<SchemaPlan> {
  const names = namesOf(migrations);
  const applied = appliedMigrations(database);
  const actual = shapeOf(database);
  const toWanted = differences(actual, await shapeAfter(migrations));
  const isEmpty = actual.tables.size === 0;
  const pending = names.slice(applied.length);
  const follows =
    applied.every((name, at) => name === names[at]) &&
    (pending.length === 0 ? isSame(toWanted) : await isShapeOf(applied, actual, migrations));
  const plan = { pending: follows ? pending : [], differences: toWanted, isEmpty };
  if (follows) return { ...plan, step: pending.length === 0 ? 'none' : 'deploy' };
  return { ...plan, step: isSame(toWanted) ? 'none' : 'push' };
}

async function isShapeOf(
  applied: readonly string[],
  actual: ReturnType<typeof shapeOf>,
  migrations: Migrations,
): Promise<boolean> {
  const then = Object.fromEntries(Object.entries(migrations).filter(([name]) => applied.includes(name)));
  return isSame(differences(actual, await shapeAfter(then)));
}
