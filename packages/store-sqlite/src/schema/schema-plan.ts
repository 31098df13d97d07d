import type Database from 'better-sqlite3';
import { appliedMigrations, namesOf, shapeAfter } from './migration-history.ts';
import type { Migrations } from './migrations/index.ts';
import { type Differences, differences, isSame, type Shape, shapeOf } from './schema-shape.ts';

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

export function planFor(database: Database.Database, migrations: Migrations): SchemaPlan {
  const names = namesOf(migrations);
  const applied = appliedMigrations(database);
  const actual = shapeOf(database);
  const toWanted = differences(actual, shapeAfter(migrations));
  const isEmpty = actual.tables.size === 0;
  const pending = names.slice(applied.length);
  const follows =
    applied.every((name, at) => name === names[at]) &&
    (pending.length === 0 ? isSame(toWanted) : isShapeOf(applied, actual, migrations));
  const plan = { pending: follows ? pending : [], differences: toWanted, isEmpty };
  if (follows) return { ...plan, step: pending.length === 0 ? 'none' : 'deploy' };
  return { ...plan, step: isSame(toWanted) ? 'none' : 'push' };
}

function isShapeOf(applied: readonly string[], actual: Shape, migrations: Migrations): boolean {
  const then = Object.fromEntries(Object.entries(migrations).filter(([name]) => applied.includes(name)));
  return isSame(differences(actual, shapeAfter(then)));
}
