import { closeSync, fsyncSync } from 'node:fs';
import { isBusy, storeFailure } from '../connection/failures.ts';
import { openDatabase } from '../connection/held-database.ts';
import { openNewFile } from '../connection/private-file.ts';
import { appliedMigrations } from './migration-history.ts';

const WAIT_MS = 5_000;

export interface CheckedDatabase {
  /** Names of the migrations in the database's history; empty if the tables were created without migrations. */
  readonly migrations: readonly string[];
  /** The app files whose rows are in the database; empty if the database has no table of apps. */
  readonly apps: readonly { readonly id: string; readonly size: number; readonly sha256: string }[];
}

/**
 * Copies a consistent snapshot of a database to a new file with `vacuum into`, while other connections read and write.
 * The copy is on the disk when this returns. If this throws, the caller removes the partial copy.
 */
export function copyDatabase(file: string, target: string): void {
  const database = openDatabase(file, { fileMustExist: true, timeout: WAIT_MS });
  try {
    // Creates an empty file with mode 0600 first. SQLite fills this file and keeps its mode. If SQLite created the
    // file, other users could read it until its mode was changed.
    const handle = openNewFile(target);
    try {
      database.prepare<[string]>('vacuum into ?').run(target);
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
  } catch (error) {
    throw storeFailure(error, database);
  } finally {
    database.close();
  }
}

/**
 * Checks a whole database file and returns its migrations and the files of its app library. Throws if the file is
 * damaged.
 */
export function checkDatabase(file: string): CheckedDatabase {
  const database = openDatabase(file, { fileMustExist: true, readonly: true, timeout: WAIT_MS });
  try {
    const found = database.prepare<[], string>('pragma integrity_check(1)').pluck().get();
    if (found !== 'ok') throw new Error(`${file} is damaged: ${found}`);
    const hasApps = database.prepare("select 1 from sqlite_schema where name = 'apps'").get() !== undefined;
    return {
      migrations: appliedMigrations(database),
      apps: hasApps
        ? database
            .prepare<[], CheckedDatabase['apps'][number]>('select id, size, sha256 from apps order by id')
            .all()
        : [],
    };
  } catch (error) {
    throw storeFailure(error, database);
  } finally {
    database.close();
  }
}

/** Checks whether another process has the file open. Returns false if the file is not a database. */
export function isDatabaseInUse(file: string): boolean {
  const database = openDatabase(file, { fileMustExist: true, timeout: 0 });
  try {
    // Requests exclusive use of the file and not only its write lock, because an idle connection holds no write lock
    // but keeps the file open.
    database.exec('pragma locking_mode = exclusive; begin exclusive');
    return false;
  } catch (error) {
    return isBusy(error);
  } finally {
    database.close();
  }
}
