import Database from 'better-sqlite3';

/**
 * From Node.js 24.19 on, the process ends (`RemoveEnvironmentCleanupHook`, `(env) != nullptr`) when the garbage
 * collector takes an object of better-sqlite3 12 while no JavaScript runs; 13 does not run on Node.js 20. So nothing
 * of it is left to the collector: every database and statement is held until the process ends.
 *
 * Whoever uses one therefore prepares once, not per call, and sets pragmas with `exec`, which makes no object.
 */
const held: object[] = [];

export function openDatabase(file: string, options?: Database.Options): Database.Database {
  const database = hold(new Database(file, options));
  const prepare = database.prepare.bind(database) as (source: string) => Database.Statement;
  database.prepare = ((source: string) => hold(prepare(source))) as typeof database.prepare;
  return database;
}

/** For iterators: each is an object of its own. */
export function hold<T extends object>(taken: T): T {
  held.push(taken);
  return taken;
}
