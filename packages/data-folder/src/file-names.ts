import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Whether a file name is one of the keys that a backup contains. */
export function isKeyFile(name: string): boolean {
  return /^(?:signing-key[\w-]*\.(?:pem|json)|audit-key)$/.test(name);
}

/** Whether a file name is one of the keys that sign tokens. */
export function isSigningKeyFile(name: string): boolean {
  return isKeyFile(name) && name.startsWith('signing-key');
}

export function keyFilesIn(dataDir: string): string[] {
  return existsSync(dataDir) ? readdirSync(dataDir).filter(isKeyFile).sort() : [];
}

export function auditKeyFile(dataDir: string): string {
  return join(dataDir, 'audit-key');
}

/** Folder with the files of the app library. */
export function appFolder(dataDir: string): string {
  return join(dataDir, 'apps');
}

/** Recordings of sessions. */
export function recordingFolder(dataDir: string): string {
  return join(dataDir, 'recordings');
}
