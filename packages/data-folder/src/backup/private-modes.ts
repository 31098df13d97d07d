import { chmodSync, lstatSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '@svc/store-sqlite';

const STICKY = 0o1000;

/**
 * Gives a file mode 0600 or a folder mode 0700. It does not change symbolic links, shared folders such as `/tmp`, and
 * files of another user; `svc doctor` reports those (`file-modes`).
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

/**
 * Checks whether other users of this host can read one of the files in a folder. Returns false on Windows, where file
 * modes do not show that.
 */
export function canOthersRead(folder: string, names: readonly string[]): boolean {
  if (process.platform === 'win32' || (statSync(folder).mode & 0o011) === 0) return false;
  return names.some((name) => (statSync(join(folder, name)).mode & 0o044) !== 0);
}

/** Pattern of the names that svc gives to files in its data folder. Other files there are not changed. */
const OURS = /^(?:svc\.|signing-key|audit-key|(?:restore|upgrade)\.json|apps(?:\.|$)|backups$)/;

/**
 * Creates the data folder. If it exists, removes other users' access to the folder and to everything in it that svc has
 * written.
 */
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
