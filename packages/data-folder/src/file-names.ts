import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Names of the files a backup holds besides the database and the apps. */
export function isKeyFile(name: string): boolean {
  return /^(?:signing-key[\w-]*\.(?:pem|json)|audit-key)$/.test(name);
}

/** Those that tokens are signed with. */
export function isSigningKeyFile(name: string): boolean {
  return isKeyFile(name) && name.startsWith('signing-key');
}

export function keyFilesIn(dataDir: string): string[] {
  return existsSync(dataDir) ? readdirSync(dataDir).filter(isKeyFile).sort() : [];
}

export function auditKeyFile(dataDir: string): string {
  return join(dataDir, 'audit-key');
}

/** Files of the app library. */
export function appFolder(dataDir: string): string {
  return join(dataDir, 'apps');
}
