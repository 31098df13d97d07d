import { Conflict, Unavailable } from '@svc/auth-core';
import Database from 'better-sqlite3';

const TAKEN = new Set([
  'SQLITE_CONSTRAINT_UNIQUE',
  'SQLITE_CONSTRAINT_PRIMARYKEY',
  'SQLITE_CONSTRAINT_ROWID',
]);

/**
 * The ports' error for one of better-sqlite3. SQLite names tables, columns and codes, never values, and even those
 * stay in the cause. Other errors pass through.
 */
export function storeFailure(error: unknown, database: Database.Database): unknown {
  if (error instanceof Database.SqliteError) {
    if (TAKEN.has(error.code)) return new Conflict('a value that must be unique is taken');
    // What the new row belongs to was removed meanwhile.
    if (error.code === 'SQLITE_CONSTRAINT_FOREIGNKEY') return new Conflict('what this belongs to is gone');
    return new Unavailable(`database: ${error.code}`, error);
  }
  if (!database.open && error instanceof TypeError) return new Unavailable('database: closed', error);
  return error;
}

/** Another connection holds a lock: a retry may succeed. */
export function isBusy(error: unknown): boolean {
  return error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY');
}
