import { chmodSync, closeSync, existsSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { AuditChain, type Clock, type Log, type Stores, type StoreTransaction } from '@svc/auth-core';
import type { CommandLogStore, DeviceSettingStore, DriverSessionStore } from '@svc/device-lab';
import type Database from 'better-sqlite3';
import { Memory, type MemorySizes, USUAL_SIZES } from './cache/memory.ts';
import { openAuditKey } from './connection/audit-key.ts';
import { Connection } from './connection/connection.ts';
import { storeFailure } from './connection/failures.ts';
import { openDatabase } from './connection/held-database.ts';
import { retryWhileBusy } from './connection/retry-while-busy.ts';
import { namesOf, namesOfApplied } from './schema/migration-history.ts';
import { MIGRATIONS } from './schema/migrations/index.ts';
import { SchemaMismatch } from './schema/schema-mismatch.ts';
import { behind, synchroniseSchema } from './schema/synchronise.ts';
import { Accounts } from './stores/accounts.ts';
import { ApiTokens } from './stores/api-tokens.ts';
import { AuditRows } from './stores/audit.ts';
import { adoptRows, headFits } from './stores/audit-adoption.ts';
import { CommandLogRows } from './stores/command-log.ts';
import { DeviceSettings } from './stores/device-settings.ts';
import { DriverSessions } from './stores/driver-sessions.ts';
import { SqliteReplayStore } from './stores/replay-store.ts';
import { ResetLinks } from './stores/reset-links.ts';
import { Settings } from './stores/settings.ts';
import { SignIns } from './stores/sign-ins.ts';
import { Teams } from './stores/teams.ts';

export interface StoreOptions {
  readonly file: string;
  readonly clock: Clock;
  readonly log: Log;
  /** `SVC_AUTO_MIGRATE`: bring the tables in sync (specification 9.1.6). */
  readonly autoMigrate: boolean;
  readonly memory?: Partial<MemorySizes>;
  /** Key of the audit chain; made when there is none. Default: `audit-key` beside the database. */
  readonly auditKeyFile?: string;
}

export interface SqliteStore extends Stores {
  readonly driverSessions: DriverSessionStore;
  readonly commandLog: CommandLogStore;
  readonly deviceSettings: DeviceSettingStore;
  /** Never throws. */
  ready(): { database: boolean; migrations: boolean };
  /** Writes last-used times and sliding expiries at once. */
  flush(): void;
  /** Writes what waits and lets go of the file; every call afterwards throws `Unavailable`. */
  close(): void;
}

/** How long a statement waits during the start, where waiting is done without blocking the thread: see `retryWhileBusy`. */
const SHORTLY_MS = 100;

/** Throws `SchemaMismatch` when the tables are not what this version needs, `Unavailable` when the file is no database. */
export async function openStore(options: StoreOptions): Promise<SqliteStore> {
  const { file, log, autoMigrate, auditKeyFile = join(dirname(file), 'audit-key') } = options;
  if (!autoMigrate && !existsSync(file)) throw behind(`There is no database at ${file}`);
  makePrivate(file, log);
  const database = openDatabase(file, { timeout: SHORTLY_MS });
  try {
    await retryWhileBusy(() => database.exec('pragma journal_mode = wal'));
    // A credential just handed out or revoked must survive a power cut.
    database.exec('pragma synchronous = full');
    await synchroniseSchema(database, { autoMigrate, migrations: MIGRATIONS, log });
    database.exec('pragma foreign_keys = on');
    const adopt = (key: Uint8Array) => adoptRows(database, new AuditChain(key));
    const chain = new AuditChain(await openAuditKey(auditKeyFile, database, log, adopt));
    if (!headFits(database, chain))
      log.error('The audit trail was not written with the key in the data folder: see `svc audit verify`');
    return storesOn(database, chain, options);
  } catch (error) {
    database.close();
    throw error instanceof SchemaMismatch ? error : storeFailure(error, database);
  }
}

/** For its owner only, from the first moment; SQLite gives `-wal` and `-shm` the mode of the file. */
function makePrivate(file: string, log: Log): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  closeSync(openSync(file, 'a', 0o600));
  for (const path of [file, `${file}-wal`, `${file}-shm`]) {
    if (!existsSync(path) || (statSync(path).mode & 0o077) === 0) continue;
    try {
      chmodSync(path, 0o600);
    } catch (error) {
      log.warn('Others on this host may read the database', { error });
    }
  }
}

function storesOn(
  database: Database.Database,
  chain: AuditChain,
  { clock, log, memory: sizes }: StoreOptions,
): SqliteStore {
  const connection = new Connection(database);
  const memory = new Memory(connection, log, { ...USUAL_SIZES, ...sizes });
  const accounts = new Accounts(connection, memory);
  const tx: StoreTransaction = {
    accounts,
    apiTokens: new ApiTokens(connection, memory),
    signIns: new SignIns(connection, memory, clock),
    resetLinks: new ResetLinks(connection),
    teams: new Teams(connection, memory, accounts),
    audit: new AuditRows(connection, chain),
    replay: new SqliteReplayStore(connection),
    settings: new Settings(connection),
  };
  return {
    ...tx,
    transaction: (work) => connection.transaction(() => work(tx)),
    afterTransaction: (work) => connection.afterTransaction(work),
    version: () => {
      connection.fresh();
      return memory.version;
    },
    driverSessions: new DriverSessions(connection),
    commandLog: new CommandLogRows(connection),
    deviceSettings: new DeviceSettings(connection),
    ready: readinessOf(database),
    flush: () => memory.writeBehind.flush(),
    close: () => {
      if (!database.open) return;
      memory.writeBehind.stop();
      try {
        memory.writeBehind.flush();
      } catch (error) {
        log.error('The last seconds of last-used times are lost', { error });
      }
      connection.close();
    },
  };
}

function readinessOf(database: Database.Database): SqliteStore['ready'] {
  const applied = namesOfApplied(database);
  return () => {
    try {
      return { database: true, migrations: applied.all().join() === namesOf(MIGRATIONS).join() };
    } catch {
      return { database: false, migrations: false };
    }
  };
}
