import { existsSync, readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isDatabaseInUse, takeProcessLock } from '@svc/store-sqlite';

/** Where `svc upgrade --plan` tries an upgrade. */
export function trialCopyOf(databaseFile: string): string {
  return `${databaseFile}.svc-trial-${process.pid}`;
}

/** A copy of the database an upgrade was tried on, with the files SQLite keeps beside it. */
export interface TrialCopy {
  readonly file: string;
  readonly files: readonly string[];
  readonly isInUse: boolean;
}

const COPY = /^\.[a-z][a-z0-9]*-trial-\d+(-journal|-wal|-shm|\.lock(?:\.json|-journal)?)?$/;

/** Copies beside the database, whoever tried on them: `<database file>.<product>-trial-<number>` (specification 9.2). */
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
  // The copy itself goes last: without it nobody would know what the others belong to.
  for (const each of files.filter((each) => each !== file)) rmSync(each, { force: true });
  rmSync(file, { force: true });
}

/** Ours hold a lock beside the copy; of others SQLite knows whether somebody has them open. */
function isInUse(file: string): boolean {
  if (existsSync(`${file}.lock`)) {
    const lock = takeProcessLock(`${file}.lock`);
    if (lock === null) return true;
    lock.release();
  }
  return existsSync(file) && isDatabaseInUse(file);
}
