import { chmodSync, existsSync, readFileSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Log } from '@svc/auth-core';
import type Database from 'better-sqlite3';
import { makeFolder, writeDraft } from './private-file.ts';
import { retryWhileBusy } from './retry-while-busy.ts';

const KEY_BYTES = 32;
const FORM = /^[0-9a-f]{64}\n?$/;

/**
 * Returns the key of the audit chain, and creates it on the first start. A new key is written to a temporary file that
 * only its owner may read. Then `adopt` marks the existing audit rows as older than the key (see `adoptRows`). The file
 * gets its final name last, so that the next start calls `adopt` again if this one is interrupted before.
 */
export async function openAuditKey(
  file: string,
  database: Database.Database,
  log: Log,
  adopt: (key: Uint8Array) => void,
): Promise<Uint8Array> {
  if (existsSync(file)) return readKey(file, log);
  const draft = `${file}.new`;
  // Create the key and rename its file only while holding the write lock of the database. Otherwise two processes that
  // start for the first time at the same moment could create different keys.
  const key = await alone(database, () => {
    if (existsSync(file)) return readKey(file, log);
    if (!existsSync(draft)) makeKey(draft);
    const made = readKey(draft, log);
    adopt(made);
    return made;
  });
  await alone(database, () => {
    if (existsSync(draft)) renameSync(draft, file);
  });
  return key;
}

/**
 * Reads the key. Throws if it is unreadable, so that the server does not start and writes no audit rows that cannot be
 * verified later.
 */
function readKey(file: string, log: Log): Uint8Array {
  const text = readFileSync(file, 'latin1');
  if (!FORM.test(text)) throw new Error(`${file} is not a key of an audit trail; restore it from a backup`);
  if ((statSync(file).mode & 0o077) !== 0) {
    log.warn(
      'Other users of this host could read the key of the audit trail; its mode was set to 0600 again',
    );
    chmodSync(file, 0o600);
  }
  return Buffer.from(text.trim(), 'hex');
}

function makeKey(file: string): void {
  makeFolder(dirname(file));
  const key = crypto.getRandomValues(new Uint8Array(KEY_BYTES));
  // A partial key from an interrupted start can be overwritten, because no row was hashed with it.
  writeDraft(`${file}.part`, `${Buffer.from(key).toString('hex')}\n`);
  renameSync(`${file}.part`, file);
}

async function alone<T>(database: Database.Database, work: () => T): Promise<T> {
  await retryWhileBusy(() => database.exec('begin immediate'));
  try {
    const result = work();
    database.exec('commit');
    return result;
  } catch (error) {
    if (database.inTransaction) database.exec('rollback');
    throw error;
  }
}
