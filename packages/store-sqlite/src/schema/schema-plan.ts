import type Database from 'better-sqlite3';
import { appliedMigrations, type Migrations, namesOf, shapeAfter } from './migration-history.ts';
import { type Differences, differences, isSame, shapeOf } from './schema-shape.ts';

/**
 * What a start does to a database (specification 9.1.6): `deploy` applies the pending migrations of a history that
 * fits the tables; `push` shapes tables without a history, or with one they do not follow from.
 */
export interface SchemaPlan {
  readonly step: 'none' | 'deploy' | 'push';
  /** Migrations a deploy applies. */
  readonly pending: readonly string[];
  /** From the tables as they are to those of this version. */
  readonly differences: Differences;
  /** Nothing is in it yet, so nothing can be lost. */
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
