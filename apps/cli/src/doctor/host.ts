import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { signingKey } from '@svc/auth-core';
import { auditKeyFile, KeyFiles, keyFilesIn, listBackups } from '@svc/data-folder';
import type { Config } from '@svc/settings';
import { openStore, SchemaMismatch, type SqliteStore } from '@svc/store-sqlite';
import { type Finding, failure, ok, skipped, warning } from './finding.ts';
import { checkPasswords, checkTemporaryPasswords } from './passwords.ts';
import { checkPhones } from './phones.ts';
import { checkScimKeys } from './scim-keys.ts';
import { checkShares } from './shares.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const silent = { debug() {}, info() {}, warn() {}, error() {} };

/**
 * Checks the modes of the data folder and its files. It must run before other checks open the files, because opening a
 * file corrects its mode and would hide the problem.
 */
export function checkFiles({ dataDir, databaseFile }: Config): Finding[] {
  if (process.platform === 'win32')
    return [
      skipped(
        'file-modes',
        'Windows has no file modes. Restrict access to the folder to the user that runs the server',
      ),
    ];
  const private600 = [
    databaseFile,
    `${databaseFile}-wal`,
    `${databaseFile}-shm`,
    ...keyFilesIn(dataDir).map((name) => join(dataDir, name)),
  ];
  const open = [dataDir, ...private600].filter((path) => {
    const stats = statSync(path, { throwIfNoEntry: false });
    return stats !== undefined && (stats.mode & 0o077) !== 0;
  });
  if (open.length === 0) return [ok('file-modes', `Other users of this host cannot read ${dataDir}`)];
  const fix = `chmod go= ${open.map((path) => JSON.stringify(path)).join(' ')}`;
  const holdsKeys = open.some((path) => private600.includes(path)) && (statSync(dataDir).mode & 0o077) !== 0;
  const message = `Other users of this host can read ${open.length} of the data folder and its files`;
  return [(holdsKeys ? failure : warning)('file-modes', message, fix)];
}

/** Checks that the signing keys can be loaded: the current key, the next one and the replaced ones. */
export async function checkKeys({ dataDir }: Config): Promise<Finding> {
  const files = new KeyFiles(dataDir, { repairsModes: false });
  const check = 'signing-key';
  try {
    const pem = files.current(silent);
    if (pem === undefined) return skipped(check, 'There is no signing key yet. The first start creates one');
    const { kid } = await signingKey(pem);
    files.ring(silent);
    return ok(check, `Tokens are signed with ${kid}`);
  } catch (error) {
    const message = `The signing key cannot be used: ${messageOf(error)}`;
    return failure(check, message, 'Restore signing-key.pem from a backup, or run `svc keys compromise`.');
  }
}

/**
 * Runs the checks that need the database. They open the database while the server may be running, and change nothing.
 */
export async function checkDatabase(config: Config, now: number): Promise<Finding[]> {
  const { databaseFile: file, dataDir } = config;
  // Skips these checks, because opening a missing database would create the audit key.
  if (!existsSync(file) || !existsSync(auditKeyFile(dataDir)))
    return [
      skipped('schema', `There is no database at ${file} yet. The first start creates one`),
      ...checkPasswords(config, null),
    ];
  try {
    const clock = { now: () => now };
    const stores = await openStore({
      ...{ file, auditKeyFile: auditKeyFile(dataDir), clock, log: silent, autoMigrate: false },
    });
    try {
      return [
        ok('schema', 'The database tables match this version'),
        ...checkPasswords(config, stores.accounts.hasDefaultPassword()),
        checkTemporaryPasswords(stores, now),
        ...checkScimKeys(stores, now),
        checkTrail(stores),
        checkClock(stores, now),
        ...checkPhones(stores),
        ...checkShares(stores.shareLimits, config.authDisabled || config.requireSessionToken),
      ];
    } finally {
      stores.close();
    }
  } catch (error) {
    if (!(error instanceof SchemaMismatch))
      return [
        failure('schema', `The database cannot be read: ${messageOf(error)}`, 'Run `svc restore latest`.'),
      ];
    const fix = 'Run `svc upgrade --plan`, then `svc upgrade`, or start the server once.';
    return [failure('schema', `The database tables do not match this version: ${error.message}`, fix)];
  }
}

function checkTrail({ audit }: SqliteStore): Finding {
  const { problem, head } = audit.check();
  if (problem === null) return ok('audit-trail', `The audit trail is intact: ${head.count} rows`);
  const fix =
    'Compare the trail with a count and hash that you stored on another machine, and find out who had access to the data folder.';
  return failure('audit-trail', `The audit trail is broken: ${problem}`, fix);
}

const LATEST_ROWS = 50;
const AHEAD_MS = 60_000;

function checkClock({ audit }: SqliteStore, now: number): Finding {
  const check = 'clock';
  const latest = Math.max(0, ...audit.page(null, LATEST_ROWS).map(({ at }) => at));
  if (latest <= now + AHEAD_MS) return ok(check, 'The clock is not behind the newest audit row');
  const message = `The audit trail has a row of ${new Date(latest).toISOString()}, so the clock of this host is behind now or was ahead then`;
  return failure(
    check,
    message,
    'Correct the clock and synchronise it with NTP, because the expiry of tokens and tickets depends on it.',
  );
}

export function checkBackups({ backup, dataDir, databaseFile }: Config, now: number): Finding {
  const check = 'backups';
  const fix = 'Run `svc backup` or set SVC_BACKUP_INTERVAL_HOURS, and store a copy on another machine.';
  if (!existsSync(databaseFile)) return skipped(check, 'There is nothing to back up yet');
  const last = listBackups(backup.dir)
    .filter(({ manifest }) => manifest.dataDir === dataDir)
    .at(-1);
  if (last === undefined) return warning(check, `There is no backup in ${backup.dir}`, fix);
  const days = Math.floor((now - Date.parse(last.manifest.createdAt)) / DAY_MS);
  const message = `The last backup was made at ${last.manifest.createdAt}: ${last.folder}`;
  return days > 7 ? warning(check, `${message}, ${days} days ago`, fix) : ok(check, message);
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
