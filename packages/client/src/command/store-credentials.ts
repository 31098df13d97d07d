import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { credentialsPath, type StoredCredentials, storedCredentials } from '../credentials-file.ts';
import { type Environment, UnusableSetting } from '../environment.ts';

/**
 * Stores the credentials of a lab and replaces earlier ones.
 * @returns the path of the credentials file
 */
export function storeCredentials(env: Environment, url: string, credentials: StoredCredentials): string {
  const { accessKey, token, tokenExpiresAt } = credentials;
  return change(env, (entries) => entries.set(url, { accessKey, token, tokenExpiresAt }));
}

/** Removes the credentials of a lab from the credentials file. */
export function removeCredentials(env: Environment, url: string): void {
  change(env, (entries) => entries.delete(url));
}

function change(env: Environment, apply: (entries: Map<string, StoredCredentials>) => unknown): string {
  const path = credentialsPath(env);
  if (path === undefined) {
    throw new UnusableSetting('Set HOME or XDG_CONFIG_HOME, because the credentials are stored below it');
  }
  makeFolder(dirname(path));
  // Read the file again under the lock, so that two concurrent commands do not lose each other's entry.
  locked(`${path}.lock`, () => {
    const entries = new Map(storedCredentials(env));
    apply(entries);
    writePrivate(path, `${JSON.stringify(Object.fromEntries(entries), null, 2)}\n`);
  });
  return path;
}

function makeFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  // Set the permissions again, because an existing folder may have other permissions.
  chmodSync(folder, 0o700);
}

/**
 * Age (ms) from which a lock file counts as left behind by a process that has ended. A change takes only a few
 * milliseconds.
 */
const STALE_MS = 10_000;
const RETRY_MS = 20;

/**
 * Runs `work` while this process alone has the lock file. Waits for the lock, and removes a lock file that was left
 * behind.
 */
function locked(lock: string, work: () => void): void {
  while (!taken(lock)) {
    const age = ageOf(lock);
    if (age !== undefined && age > STALE_MS) rmSync(lock, { force: true });
    else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS);
  }
  try {
    work();
  } finally {
    rmSync(lock, { force: true });
  }
}

function taken(lock: string): boolean {
  try {
    closeSync(openSync(lock, 'wx', 0o600));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** @returns the age of a file in ms, or undefined if it was removed */
function ageOf(file: string): number | undefined {
  const status = statSync(file, { throwIfNoEntry: false });
  // A lock's time lies in the future if the clock was set back. Use the absolute difference, so that such a lock is
  // freed too.
  return status === undefined ? undefined : Math.abs(Date.now() - status.mtimeMs);
}

/**
 * Replaces a file that only its owner can read. The content is written to a temporary file first, so that a crash
 * leaves either the old or the new file.
 */
function writePrivate(path: string, text: string): void {
  const partial = `${path}.${randomBytes(6).toString('hex')}.part`;
  try {
    const file = openSync(partial, 'wx', 0o600);
    try {
      writeSync(file, text);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(partial, path);
  } catch (error) {
    rmSync(partial, { force: true });
    throw error;
  }
}
