import Database from 'better-sqlite3';
import { isNativeCodeMissing, NativeCodeMissing } from './native-code.ts';

/**
 * Objects of better-sqlite3 that must never be freed. From Node.js 24.19 on, the process aborts
 * (`RemoveEnvironmentCleanupHook`, `(env) != nullptr`) if the garbage collector frees an object of better-sqlite3 12
 * while no JavaScript runs (nodejs/node#65446). better-sqlite3 13 does not have this fault, but it does not run on
 * Node.js 20. Therefore this list references every database and statement until the process ends. So that the list
 * stays short, prepare a statement once and not per call, and set pragmas with `exec`, which creates no
 * object.
 *
 * Remove this list when Node.js 20 is no longer supported (better-sqlite3 13), or when Node.js 24 has the fix and older
 * releases of 24 are refused.
 */
const held: object[] = [];

/** @param file path of the database, or the content of one that is then kept in memory */
export function openDatabase(file: string | Buffer, options?: Database.Options): Database.Database {
  const database = hold(opened(file, options));
  const prepare = database.prepare.bind(database) as (source: string) => Database.Statement;
  database.prepare = ((source: string) => hold(prepare(source))) as typeof database.prepare;
  return database;
}

function opened(file: string | Buffer, options?: Database.Options): Database.Database {
  try {
    return new Database(file, options);
  } catch (error) {
    throw isNativeCodeMissing(error) ? new NativeCodeMissing(error) : error;
  }
}

/**
 * Keeps an object of better-sqlite3 from being freed. Call it also for iterators, because each iterator is an object of
 * its own.
 */
export function hold<T extends object>(object: T): T {
  held.push(object);
  return object;
}
