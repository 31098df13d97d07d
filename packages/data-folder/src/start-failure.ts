import { dirname } from 'node:path';
import { SchemaMismatch } from '@svc/store-sqlite';
import type { DataPlace } from './data-place.ts';

const NO_ROOM = /^(?:ENOSPC|EDQUOT|EFBIG|SQLITE_FULL|SQLITE_IOERR_(?:WRITE|SHMSIZE|TRUNCATE))$/;
const NOT_WRITABLE = /^(?:EACCES|EPERM|EROFS|SQLITE_(?:READONLY|CANTOPEN).*)$/;
const DAMAGED = /^SQLITE_(?:CORRUPT|NOTADB).*$/;
const BUSY = /^SQLITE_BUSY/;

/** Checks whether an operation failed because a disk is full. */
export function isNoRoom(error: unknown): boolean {
  return NO_ROOM.test(codeOf(error));
}

/**
 * Takes an error that occurred while the server started. If it is about the data folder or the database file, returns
 * an error that explains why the data cannot be used and what to do; otherwise returns the error unchanged.
 */
export function startFailure(error: unknown, { dataDir, databaseFile }: DataPlace): unknown {
  if (error instanceof SchemaMismatch) return error;
  const code = codeOf(error);
  const explained = (message: string) =>
    new Error(`${message} (${code}). Nothing was changed`, { cause: error });
  const places = dirname(databaseFile) === dataDir ? dataDir : `${dataDir} or ${dirname(databaseFile)}`;
  if (NO_ROOM.test(code))
    return explained(`There is no room left on the disk of ${places}: make some and try again`);
  if (NOT_WRITABLE.test(code))
    return explained(
      `${places} cannot be written: let the user of the server own it, or name another with SVC_DATA_DIR`,
    );
  if (DAMAGED.test(code))
    return explained(
      `The database ${databaseFile} is damaged or is no database: put a backup back with \`svc restore latest\` ` +
        '(it keeps the file), or move the file away to start with an empty database',
    );
  if (BUSY.test(code))
    return explained(`Another program holds the database ${databaseFile}: end it and try again`);
  return error;
}

/** @returns the system or SQLite code of the error or of the first of its causes that has one, or an empty string */
function codeOf(error: unknown): string {
  for (let each = error; each instanceof Error; each = each.cause) {
    const { code } = each as { code?: unknown };
    if (typeof code === 'string' && /^(?:E[A-Z]+|SQLITE_\w+)$/.test(code)) return code;
  }
  return '';
}
