import Database from 'better-sqlite3';
import { isNativeCodeMissing, NativeCodeMissing } from './native-code.ts';

/**
 * From Node.js 24.19 on, the process aborts (`RemoveEnvironmentCleanupHook`, `(env) != nullptr`) when the garbage
 * collector frees an object of better-sqlite3 12 while no JavaScript runs: nodejs/node#65446. better-sqlite3 13 does not
 * have the fault and does not run on Node.js 20. So nothing is left to the collector: every database and statement is
 * referenced until the process ends. Prepare once, not per call, and set pragmas with `exec`, which makes no object.
 *
 * It goes when Node.js 20 is dropped (better-sqlite3 13), or when the 24 line has the fix and older 24s are refused.
 */
const held: object[] = [];

export function openDatabase(file: string, options?: Database.Options): Database.Database {
  const database = hold(opened(file, options));
  const prepare = database.prepare.bind(database) as (source: string) => Database.Statement;
  database.prepare = ((source: string) => hold(prepare(source))) as typeof database.prepare;
  return database;
}

function opened(file: string, options?: Database.Options): Database.Database {
  try {
    return new Database(file, options);
  } catch (error) {
    throw isNativeCodeMissing(error) ? new NativeCodeMissing(error) : error;
  }
}

/** For iterators too: each is an object of its own. */
export function hold<T extends object>(taken: T): T {
  held.push(taken);
  return taken;
}
