import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type FakeClock, fakeClock, type SilentLog, silentLog, TEST_AUDIT_KEY } from '@svc/auth-core/testing';
import Database from 'better-sqlite3';
import { afterEach, beforeEach } from 'vitest';
import { openStore, type SqliteStore, type StoreOptions } from '../src/index.ts';

export interface Place {
  readonly folder: string;
  readonly file: string;
  readonly clock: FakeClock;
  readonly log: SilentLog;
  /** Opens a store and closes it when the test ends. */
  open(options?: Partial<StoreOptions>): Promise<SqliteStore>;
  /** Opens the database directly with SQLite, bypassing the stores, and closes it when the test ends. */
  raw(): Database.Database;
}

/** Creates a folder for one database. */
export function newPlace(): Place & { remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'svc-store-'));
  const file = join(folder, 'svc.db');
  const clock = fakeClock(0);
  const log = silentLog();
  writeFileSync(join(folder, 'audit-key'), TEST_AUDIT_KEY, { mode: 0o600 });
  const opened: { close(): void }[] = [];
  return {
    folder,
    file,
    clock,
    log,
    open: async (options) => {
      const store = await openStore({ file, clock, log, autoMigrate: true, ...options });
      opened.push(store);
      return store;
    },
    raw: () => {
      const database = new Database(file);
      opened.push(database);
      return database;
    },
    remove: () => {
      for (const each of opened) each.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/**
 * Gives each test a new folder.
 * @returns a function that returns the folder of the running test
 */
export function eachTestItsPlace(): () => Place {
  let place: ReturnType<typeof newPlace>;
  beforeEach(() => {
    place = newPlace();
  });
  afterEach(() => place.remove());
  return () => place;
}
