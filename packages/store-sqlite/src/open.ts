import { chmodSync, existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type PasskeyStores, type PasskeyTransaction, SealingKey } from '@svc/accounts';
import type { Clock, Log, Random } from '@svc/auth-core';
import type Database from 'better-sqlite3';
import { type CacheSizes, Caches, DEFAULT_SIZES } from './cache/caches.ts';
import { openAuditKey } from './connection/audit-key.ts';
import { Connection } from './connection/connection.ts';
import { storeFailure } from './connection/failures.ts';
import { openDatabase } from './connection/held-database.ts';
import { createPrivateFile } from './connection/private-file.ts';
import { retryWhileBusy } from './connection/retry-while-busy.ts';
import { type Readiness, readinessOf } from './schema/readiness.ts';
import { SchemaMismatch } from './schema/schema-mismatch.ts';
import {
  type SchemaChoices,
  type SchemaRules,
  schemaBehind,
  synchroniseSchema,
} from './schema/synchronise.ts';
import { accountRows } from './stores/accounts.ts';
import { apiTokenRows } from './stores/api-tokens.ts';
import { appRows } from './stores/apps.ts';
import { attachRows } from './stores/attach.ts';
import { AuditRows } from './stores/audit.ts';
import { adoptRows, headFits } from './stores/audit-adoption.ts';
import { AuditChain } from './stores/audit-chain.ts';
import { careRows } from './stores/care.ts';
import { cleaningRows } from './stores/cleaning.ts';
import { commandLogRows } from './stores/command-log.ts';
import { deviceSettingRows } from './stores/device-settings.ts';
import { directoryUserRows } from './stores/directory-users.ts';
import { driverSessionRows } from './stores/driver-sessions.ts';
import { eventLogRows } from './stores/event-log.ts';
import { healthRows } from './stores/health.ts';
import { identityRows } from './stores/identities.ts';
import { leaseRows } from './stores/leases.ts';
import { nodeRows } from './stores/nodes.ts';
import { passkeyRows } from './stores/passkeys.ts';
import { phoneUseRows } from './stores/phone-use.ts';
import { replayRows } from './stores/replay-store.ts';
import { resetLinkRows } from './stores/reset-links.ts';
import { revokedTokenRows } from './stores/revoked-tokens.ts';
import { settingRows } from './stores/settings.ts';
import { accountDayRows, shareRows } from './stores/shares.ts';
import { signInRows } from './stores/sign-ins.ts';
import { teamRows } from './stores/teams.ts';
import { trustRuleRows } from './stores/trust-rules.ts';
import { webhookRows } from './stores/webhooks.ts';

export interface StoreOptions extends SchemaChoices, Pick<SchemaRules, 'beforeChange'> {
  readonly file: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Whether `openStore` upgrades tables of an earlier version of svc (`SVC_AUTO_MIGRATE`, specification 9.1.6). */
  readonly autoMigrate: boolean;
  readonly cacheSizes?: Partial<CacheSizes>;
  /**
   * File with the key of the audit chain, which is created if it is missing. Default: `audit-key` beside the database.
   */
  readonly auditKeyFile?: string;
}

export interface SqliteStore extends PasskeyStores, ReturnType<typeof labStores> {
  /** Checks whether the database can be used and its tables are those of this version. Never throws. */
  ready(): Readiness;
  /** Returns the number of last-used times and sliding expiries that are not written to the database yet. */
  pendingWrites(): number;
  /** Writes all pending last-used times and sliding expiries immediately. */
  flush(): void;
  /**
   * Writes all pending last-used times and sliding expiries and closes the file. Every later call throws `Unavailable`.
   */
  close(): void;
}

/**
 * Time in ms that a statement of the start waits for a lock, which blocks the thread. `retryWhileBusy` repeats the
 * statement, so that the start waits longer without blocking the thread.
 */
const START_BUSY_MS = 100;

/** Source of random nonces for encryption. It has no seed, because a nonce that is used twice would reveal the data. */
const NONCES: Pick<Random, 'bytes'> = { bytes: (length) => crypto.getRandomValues(new Uint8Array(length)) };

/**
 * Opens the database of this server.
 * @throws SchemaMismatch if the tables are not those of this version, and Unavailable if the file is not a database
 */
export async function openStore(options: StoreOptions): Promise<SqliteStore> {
  const { file, log, autoMigrate, auditKeyFile = join(dirname(file), 'audit-key') } = options;
  const { acceptLoss = false, baseline = false, beforeChange } = options;
  if (!autoMigrate && !existsSync(file)) {
    throw schemaBehind(`There is no database at ${file}`, 'svc migrate --yes');
  }
  makePrivate(file, log);
  const database = openDatabase(file, { timeout: START_BUSY_MS });
  try {
    await retryWhileBusy(() => database.exec('pragma journal_mode = wal'));
    // Makes each commit wait for the disk, because a credential that was just issued or revoked must survive a power
    // failure.
    database.exec('pragma synchronous = full');
    await synchroniseSchema(database, { autoMigrate, log, beforeChange, acceptLoss, baseline });
    database.exec('pragma foreign_keys = on');
    const adopt = (key: Uint8Array) => adoptRows(database, new AuditChain(key));
    const key = await openAuditKey(auditKeyFile, database, log, adopt);
    const chain = new AuditChain(key);
    if (!headFits(database, chain))
      log.error('The key in the data folder does not fit the audit trail. Run `svc audit verify`.');
    const sealingKey = new SealingKey(key, 'webhooks', NONCES);
    return storesOn(database, { chain, sealingKey, ready: readinessOf(database) }, options);
  } catch (error) {
    database.close();
    throw error instanceof SchemaMismatch ? error : storeFailure(error, database);
  }
}

/**
 * Creates the database file with mode 0600, or corrects the mode of existing files. SQLite gives the `-wal` and `-shm`
 * files the same mode.
 */
function makePrivate(file: string, log: Log): void {
  createPrivateFile(file);
  for (const path of [file, `${file}-wal`, `${file}-shm`]) {
    if (!existsSync(path) || (statSync(path).mode & 0o077) === 0) continue;
    try {
      chmodSync(path, 0o600);
    } catch (error) {
      log.warn(
        'Other users of this host may be able to read the database, because its mode could not be changed',
        { error },
      );
    }
  }
}

/** Creates the stores on a database whose tables are those of this version. */
export function storesOn(
  database: Database.Database,
  { chain, sealingKey, ready }: Pick<SqliteStore, 'ready'> & { chain: AuditChain; sealingKey: SealingKey },
  { clock, log, cacheSizes }: Pick<StoreOptions, 'clock' | 'log' | 'cacheSizes'>,
): SqliteStore {
  const connection = new Connection(database);
  const caches = new Caches(connection, log, { ...DEFAULT_SIZES, ...cacheSizes });
  const accounts = accountRows(connection, caches);
  const tx: PasskeyTransaction = {
    accounts,
    apiTokens: apiTokenRows(connection, caches),
    signIns: signInRows(connection, caches, clock),
    resetLinks: resetLinkRows(connection),
    teams: teamRows(connection, caches, accounts),
    audit: new AuditRows(connection, chain),
    replay: replayRows(connection),
    revocations: revokedTokenRows(connection, caches),
    settings: settingRows(connection),
    trustRules: trustRuleRows(connection, caches),
    directoryUsers: directoryUserRows(connection),
    identities: identityRows(connection),
    passkeys: passkeyRows(connection),
  };
  return {
    ...tx,
    transaction: (work) => connection.transaction(() => work(tx)),
    afterTransaction: (work) => connection.afterTransaction(work),
    version: () => {
      connection.checkForOtherWriters();
      return caches.version;
    },
    versionHere: () => caches.version,
    ...labStores(connection, sealingKey),
    ready: () => {
      const state = ready();
      return { ...state, database: state.database && connection.canWrite() };
    },
    pendingWrites: () => caches.writeBehind.pending,
    flush: () => caches.writeBehind.flush(),
    close: () => {
      if (!database.open) return;
      caches.writeBehind.stop();
      try {
        caches.writeBehind.flush();
      } catch (error) {
        log.error('The last-used times of the last seconds could not be written and are lost', { error });
      }
      connection.close();
    },
  };
}

/** Creates the stores whose writes need no transaction of their caller. */
function labStores(connection: Connection, sealingKey: SealingKey) {
  return {
    driverSessions: driverSessionRows(connection),
    commandLog: commandLogRows(connection),
    deviceSettings: deviceSettingRows(connection),
    leases: leaseRows(connection),
    care: careRows(connection),
    cleaning: cleaningRows(connection),
    phoneHealth: healthRows(connection),
    attach: attachRows(connection),
    apps: appRows(connection),
    eventLog: eventLogRows(connection),
    webhooks: webhookRows(connection, sealingKey),
    nodes: nodeRows(connection),
    phoneUse: phoneUseRows(connection),
    shareLimits: shareRows(connection),
    accountTimes: accountDayRows(connection),
  };
}
