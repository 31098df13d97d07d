import { Conflict, Unavailable } from '@svc/auth-core';
import Database from 'better-sqlite3';

const TAKEN = new Set([
  'SQLITE_CONSTRAINT_UNIQUE',
  'SQLITE_CONSTRAINT_PRIMARYKEY',
  'SQLITE_CONSTRAINT_ROWID',
]);

/**
 * What the ports promise instead of a better-sqlite3 error. SQLite names tables, columns and codes, never values,
 * and even that stays in the cause. Anything that is not the database's passes through.
 */
export function storeFailure(error: unknown, database: Database.Database): unknown {
  if (error instanceof Database.SqliteError) {
    if (TAKEN.has(error.code)) return new Conflict('a value that must be unique is taken');
    // Raised when what a new row belongs to was removed meanwhile.
    if (error.code === 'SQLITE_CONSTRAINT_FOREIGNKEY') return new Conflict('what this belongs to is gone');
    return new Unavailable(`database: ${error.code}`, error);
  }
  if (!database.open && error instanceof TypeError) return new Unavailable('database: closed', error);
  return error;
}

/** Another connection holds a lock; worth another try a moment later. */
export function isBusy(error: unknown): boolean {
  return error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY');
}
