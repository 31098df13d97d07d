import { randomBytes } from 'node:crypto';
import { chmodSync, closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
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
  const entries = new Map(storedCredentials(env));
  apply(entries);
  writePrivate(path, `${JSON.stringify(Object.fromEntries(entries), null, 2)}\n`);
  return path;
}

/**
 * Replaces a file that only its owner can read. The content is written to a temporary file first, so that a crash
 * leaves either the old or the new file.
 */
function writePrivate(path: string, text: string): void {
  const folder = dirname(path);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  // Set the permissions again, because an existing folder may have others.
  chmodSync(folder, 0o700);
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
