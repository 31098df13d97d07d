import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Checks whether a file is a key file that backups contain, by its name. */
export function isKeyFile(name: string): boolean {
  return /^(?:signing-key[\w-]*\.(?:pem|json)|audit-key)$/.test(name);
}

/** Checks whether a file contains signing keys, by its name. */
export function isSigningKeyFile(name: string): boolean {
  return isKeyFile(name) && name.startsWith('signing-key');
}

export function keyFilesIn(dataDir: string): string[] {
  return existsSync(dataDir) ? readdirSync(dataDir).filter(isKeyFile).sort() : [];
}

export function auditKeyFile(dataDir: string): string {
  return join(dataDir, 'audit-key');
}

/** @returns the folder that contains the files of the app library */
export function appFolder(dataDir: string): string {
  return join(dataDir, 'apps');
}

/** @returns the folder that contains the recordings of sessions */
export function recordingFolder(dataDir: string): string {
  return join(dataDir, 'recordings');
}
