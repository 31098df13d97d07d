import { AuditChain, type Clock, SealingKey } from '@svc/auth-core';
import { fakeClock, NOON, seededRandom, silentLog, TEST_AUDIT_KEY } from '@svc/auth-core/testing';
import { openDatabase } from '../connection/held-database.ts';
import { type SqliteStore, storesOn } from '../open.ts';
import { CURRENT_TABLES } from '../schema/current-tables.ts';

interface MemoryOptions {
  readonly clock?: Clock;
  /** Whether a row can name an account or a team that does not exist. */
  readonly loose?: boolean;
}

/** @returns the stores of a new database that SQLite keeps in memory, for unit tests of other packages */
export function memoryStores({ clock = fakeClock(NOON), loose = false }: MemoryOptions = {}): SqliteStore {
  const database = openDatabase(':memory:');
  database.exec(CURRENT_TABLES);
  database.exec(`pragma foreign_keys = ${loose ? 'off' : 'on'}`);
  const key = Buffer.from(TEST_AUDIT_KEY, 'hex');
  return storesOn(
    database,
    {
      chain: new AuditChain(key),
      sealingKey: new SealingKey(key, 'webhooks', seededRandom(1)),
      ready: () => ({ database: true, migrations: true }),
    },
    { clock, log: silentLog() },
  );
}
