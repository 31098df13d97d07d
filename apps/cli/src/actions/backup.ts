import { existsSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import { VERSION } from '@svc/api/host.js';
import {
  type Backup,
  isNoRoom,
  keyMismatch,
  listBackups,
  MANIFEST,
  makeBackup,
  pruneBackups,
  verifyBackup,
} from '@svc/data-folder';
import type { Config } from '@svc/settings';
import { printRows, type Terminal, terminalLog } from '../terminal.ts';
import { CommandFailure, configOf, existingData, type FolderOptions } from './data-folder.ts';

export interface BackupOptions extends FolderOptions {
  readonly to?: string;
  readonly keep?: number;
  readonly apps?: boolean;
  readonly scheduled?: boolean;
}

/** Runs `svc backup`. Only the folder of the backup goes to standard output, so that a script can read it. */
export function backUp(options: BackupOptions, terminal: Terminal): number {
  const config = existingData(options, terminal);
  const dir = folderOf(options, config);
  const kind = options.scheduled ? 'scheduled' : 'manual';
  const { folder, manifest } = backupIn(dir, () =>
    makeBackup(config, {
      kind,
      dir,
      withApps: options.apps ?? true,
      withRecordings: config.backup.recordings,
      now: Date.now(),
      version: VERSION,
    }),
  );
  terminal.out(`${folder}\n`);
  const bytes = manifest.files.reduce((sum, file) => sum + file.bytes, 0);
  terminal.err(
    `${manifest.files.length} files, ${bytes} bytes. The backup contains secrets, so restrict access to it.\n`,
  );
  const { keep } = options;
  if (keep === undefined) return 0;
  for (const old of pruneBackups(dir, { kind, dataDir: config.dataDir, keep }))
    terminal.err(`Removed: ${old}\n`);
  return 0;
}

function backupIn(dir: string, make: () => Backup): Backup {
  try {
    return make();
  } catch (error) {
    if (!isNoRoom(error)) throw error;
    throw new CommandFailure(
      `The disk of ${dir} is full, so no backup was made. Free some space, or choose another folder with --to.`,
    );
  }
}

/** Runs `svc backup list`, which prints one line per backup with time, kind, version and folder. */
export function printBackups(options: BackupOptions, terminal: Terminal): number {
  const dir = folderOf(options, configOf(options, terminal));
  const backups = listBackups(dir);
  const rows = backups.map(({ folder, manifest: { createdAt, kind, version } }) => [
    createdAt,
    kind,
    version,
    folder,
  ]);
  if (rows.length === 0) terminal.err(`There is no backup in ${dir}\n`);
  else printRows(['TIME', 'KIND', 'VERSION', 'FOLDER'], rows, terminal);
  return 0;
}

/** Runs `svc backup verify`, which fails if the backup is damaged. */
export function verify(name: string, options: BackupOptions, terminal: Terminal): number {
  const folder = backupNamed(name, options, configOf(options, terminal));
  const { files, createdAt } = verifyBackup(folder);
  const mismatch = keyMismatch(folder, terminalLog(terminal));
  if (mismatch !== null) throw new CommandFailure(`The signing keys of ${folder} do not match: ${mismatch}.`);
  terminal.out(`${folder} is complete: ${files.length} files of ${createdAt}\n`);
  return 0;
}

/**
 * @param name path of the backup, its name in the backup folder, or `latest`
 * @returns the folder of the backup
 */
export function backupNamed(name: string, options: BackupOptions, config: Config): string {
  const dir = folderOf(options, config);
  if (name === 'latest') {
    const last = listBackups(dir).at(-1);
    if (last === undefined) throw new CommandFailure(`There is no backup in ${dir}`);
    return last.folder;
  }
  const places = isAbsolute(name) ? [name] : [join(dir, name), resolve(name)];
  const folder = places.find((place) => existsSync(join(place, MANIFEST)));
  if (folder === undefined)
    throw new CommandFailure(`There is no backup ${name} in ${dir}. \`svc backup list\` lists the backups`);
  return folder;
}

function folderOf({ to }: BackupOptions, config: Config): string {
  return to === undefined ? config.backup.dir : resolve(to);
}
