import { existsSync, readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isDatabaseInUse, takeProcessLock } from '@svc/store-sqlite';

/** @returns the path of the copy on which `svc upgrade --plan` tries the upgrade */
export function trialCopyOf(databaseFile: string): string {
  return `${databaseFile}.svc-trial-${process.pid}`;
}

/**
 * Copy of the database on which an upgrade was tried. `files` are the copy itself and the files that SQLite has created
 * next to it.
 */
export interface TrialCopy {
  readonly file: string;
  readonly files: readonly string[];
  readonly isInUse: boolean;
}

const COPY = /^\.[a-z][a-z0-9]*-trial-\d+(-journal|-wal|-shm|\.lock(?:\.json|-journal)?)?$/;

/**
 * Finds the copies next to a database on which upgrades were tried. Their names are `<database
 * file>.<product>-trial-<number>`. Copies of every product are found, not only those of svc (specification 9.2).
 */
export function trialCopies(databaseFile: string): TrialCopy[] {
  const folder = dirname(databaseFile);
  if (!existsSync(folder)) return [];
  const copies = new Map<string, string[]>();
  for (const name of readdirSync(folder).sort()) {
    const copy =
      name.startsWith(basename(databaseFile)) && COPY.exec(name.slice(basename(databaseFile).length));
    if (!copy) continue;
    const [, end = ''] = copy;
    const file = join(folder, name.slice(0, name.length - end.length));
    copies.set(file, [...(copies.get(file) ?? []), join(folder, name)]);
  }
  return [...copies].map(([file, files]) => ({ file, files, isInUse: isInUse(file) }));
}

export function removeTrialCopy({ file, files }: TrialCopy): void {
  // Removes the copy itself last, because the other files are found by its name.
  for (const each of files.filter((each) => each !== file)) rmSync(each, { force: true });
  rmSync(file, { force: true });
}

/**
 * Checks whether a process uses a trial copy. Such a process holds the lock file that svc creates next to the copy, or
 * has the copy open in SQLite.
 */
function isInUse(file: string): boolean {
  if (existsSync(`${file}.lock`)) {
    const lock = takeProcessLock(`${file}.lock`);
    if (lock === null) return true;
    lock.release();
  }
  return existsSync(file) && isDatabaseInUse(file);
}
