import { Conflict, Unavailable } from '@svc/auth-core';
import Database from 'better-sqlite3';

const TAKEN = new Set([
  'SQLITE_CONSTRAINT_UNIQUE',
  'SQLITE_CONSTRAINT_PRIMARYKEY',
  'SQLITE_CONSTRAINT_ROWID',
]);

/**
 * Converts an error of better-sqlite3 to `Conflict` or `Unavailable`, and returns other errors unchanged. SQLite's own
 * message is only in the `cause` of the new error. It names tables, columns and codes, but never values.
 */
export function storeFailure(error: unknown, database: Database.Database): unknown {
  if (error instanceof Database.SqliteError) {
    if (TAKEN.has(error.code)) return new Conflict('a value that must be unique is already used');
    // The new row refers to another row, which no longer exists.
    if (error.code === 'SQLITE_CONSTRAINT_FOREIGNKEY')
      return new Conflict('the record that this belongs to no longer exists');
    return new Unavailable(`database: ${error.code}`, error);
  }
  if (!database.open && error instanceof TypeError) return new Unavailable('database: closed', error);
  return error;
}

const NO_ROOM = /^SQLITE_(?:FULL|IOERR_(?:WRITE|SHMSIZE|TRUNCATE|FSYNC))$/;

/** Checks whether a write failed because the disk has no room, or cannot be written to. */
export function hasNoRoom(error: unknown): boolean {
  return error instanceof Database.SqliteError && NO_ROOM.test(error.code);
}

/** Checks whether a statement failed because another connection holds a lock, in which case a retry may succeed. */
export function isBusy(error: unknown): boolean {
  return error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY');
}
