import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  type CheckedDatabase,
  checkDatabase,
  copyDatabase,
  makeFolder,
  takeProcessLock,
  writeDraft,
} from '@svc/store-sqlite';
import type { DataPlace } from '../data-place.ts';
import { hashFile, linkOrCopy, syncFolder, writeDurably } from '../durable-files.ts';
import { appFolder } from '../file-names.ts';
import { type Backup, isUnfinished } from './backups.ts';
import { readKeyFiles } from './key-copies.ts';
import { type BackupFile, type BackupKind, DATABASE, MANIFEST, type Manifest } from './manifest.ts';
import { takeRecordings } from './recordings.ts';

export interface BackupRequest {
  readonly kind: BackupKind;
  /** Folder that contains all backups. It is created if it does not exist. */
  readonly dir: string;
  readonly withApps: boolean;
  /** Whether recordings are part of the backup. Default: false. */
  readonly withRecordings?: boolean;
  /** Time of the backup in ms since 1970. */
  readonly now: number;
  /** Version of svc, which is written to the manifest. */
  readonly version: string;
}

/**
 * Makes a backup; a server can run meanwhile. The backup contains the database as of one moment, the keys, and
 * optionally the files of the app library and the recordings. Its folder gets the final name once it is complete and on
 * the disk. If the process is killed before that, the next backup removes the incomplete folder.
 */
export function makeBackup(place: DataPlace, request: BackupRequest): Backup {
  const { kind, dir, withApps, now, version } = request;
  makeFolder(dir);
  const lock = takeProcessLock(join(dir, '.lock'));
  if (lock === null) throw new Error(`Another backup is being made in ${dir}`);
  let part: string | undefined;
  try {
    for (const name of readdirSync(dir).filter(isUnfinished))
      rmSync(join(dir, name), { recursive: true, force: true });
    const folder = unusedName(dir, `${stampOf(now)}-${kind}`);
    part = `${folder}.part`;
    makeFolder(part);
    const content = fill(part, place, request);
    const manifest: Manifest = {
      format: 1,
      kind,
      version,
      createdAt: new Date(now).toISOString(),
      dataDir: place.dataDir,
      databaseFile: place.databaseFile,
      withApps,
      ...content,
    };
    writeDurably(join(part, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`);
    renameSync(part, folder);
    syncFolder(dir);
    return { folder, manifest };
  } catch (error) {
    if (part !== undefined) rmSync(part, { recursive: true, force: true });
    throw error;
  } finally {
    lock.release();
  }
}

/**
 * Fills the folder of a backup. The database is copied first. The server saves a key or an app before it writes a
 * database row that needs it, so the files that are copied afterwards include those that the copied rows need.
 */
function fill(
  part: string,
  { dataDir, databaseFile }: DataPlace,
  { withApps, withRecordings = false }: BackupRequest,
): Pick<Manifest, 'files' | 'migrations'> {
  copyDatabase(databaseFile, join(part, DATABASE));
  const { migrations, apps } = checkDatabase(join(part, DATABASE));
  const keys = readKeyFiles(dataDir);
  for (const [name, content] of keys) writeDraft(join(part, name), content);
  const files = [DATABASE, ...keys.keys()].map((path) => ({ path, ...hashFile(join(part, path)) }));
  const appFiles = withApps ? takeApps(join(part, 'apps'), appFolder(dataDir), apps) : [];
  const recordings = withRecordings ? takeRecordings(part, dataDir) : [];
  return { files: [...files, ...appFiles, ...recordings], migrations };
}

/**
 * Links or copies the files of apps into a backup. Apps that were deleted meanwhile are left out. The hashes are those
 * computed at the upload, so the files are not read.
 */
function takeApps(target: string, source: string, apps: CheckedDatabase['apps']): BackupFile[] {
  const there = apps.filter(({ id }) => existsSync(join(source, id)));
  if (there.length === 0) return [];
  makeFolder(target);
  const taken = there.filter(({ id }) => {
    try {
      linkOrCopy(join(source, id), join(target, id));
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
      throw error;
    }
  });
  syncFolder(target);
  return taken.map(({ id, size, sha256 }) => ({ path: `apps/${id}`, bytes: size, sha256 }));
}

/** Formats a time so that the text sorts by time and is valid in file names on every system. */
export function stampOf(now: number): string {
  return new Date(now).toISOString().replaceAll(/[-:.]/g, '');
}

function unusedName(dir: string, name: string): string {
  for (let nth = 1; ; nth += 1) {
    const folder = join(dir, nth === 1 ? name : `${name}-${nth}`);
    if (!existsSync(folder)) return folder;
  }
}
