import { chmodSync, lstatSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '@svc/store-sqlite';

const STICKY = 0o1000;

/**
 * Gives a file mode 0600 and a folder mode 0700. Three things keep their mode: a symbolic link, a folder that is shared
 * like `/tmp`, and what belongs to another user. `svc doctor` reports them (`file-modes`).
 */
export function closeToOthers(path: string): void {
  const stats = lstatSync(path);
  const isFolder = stats.isDirectory();
  if (!(isFolder || stats.isFile()) || (isFolder && (stats.mode & STICKY) !== 0)) return;
  const mode = isFolder ? 0o700 : 0o600;
  if ((stats.mode & 0o777) === mode) return;
  try {
    chmodSync(path, mode);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') throw error;
  }
}

/** Whether other users of this host can read one of the files in a folder. On Windows modes say nothing about it. */
export function canOthersRead(folder: string, names: readonly string[]): boolean {
  if (process.platform === 'win32' || (statSync(folder).mode & 0o011) === 0) return false;
  return names.some((name) => (statSync(join(folder, name)).mode & 0o044) !== 0);
}

/** What svc writes to its data folder. Other files of the folder are somebody else's. */
const OURS = /^(?:svc\.|signing-key|audit-key|(?:restore|upgrade)\.json|apps(?:\.|$)|backups$)/;

/** Creates the data folder, or closes it to others together with everything in it that svc has written. */
export function closeDataFolder(dataDir: string): void {
  makeFolder(dataDir);
  closeToOthers(realpathSync(dataDir));
  for (const name of readdirSync(dataDir).filter((name) => OURS.test(name))) closeTree(join(dataDir, name));
}

function closeTree(path: string): void {
  closeToOthers(path);
  if (!lstatSync(path).isDirectory()) return;
  for (const name of readdirSync(path)) closeTree(join(path, name));
}
