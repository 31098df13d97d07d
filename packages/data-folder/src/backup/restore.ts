import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { checkDatabase, makeFolder } from '@svc/store-sqlite';
import type { DataPlace } from '../data-place.ts';
import { copyDurably, linkOrCopy, removeDurably, syncFolder, writeDurably } from '../durable-files.ts';
import { appFolder, isSigningKeyFile, keyFilesIn } from '../file-names.ts';
import { verifyBackup } from './backups.ts';
import { DATABASE, type Manifest } from './manifest.ts';
import { closeDataFolder, closeToOthers } from './private-modes.ts';
import { isRecordingPath } from './recording-path.ts';
import { putRecordings } from './recordings.ts';

/** Move of an old file during a restore. `staged` is the path of the new file, or null if no file replaces the old one. */
interface Move {
  readonly file: string;
  /** Path to which the old file is moved. */
  readonly aside: string;
  readonly staged: string | null;
}

const JOURNAL = 'restore.json';
const STAGED = '.restoring';

interface RestoreOptions {
  /** Suffix of replaced files, which are renamed to `<name>.<suffix>`. */
  readonly suffix: string;
  /** Paths of other files that are moved aside although the backup has no replacement for them. */
  readonly clears?: readonly string[];
  /**
   * Whether to leave out the backup's signing keys. The present keys are moved aside, and the next start creates new
   * ones.
   */
  readonly newKeys?: boolean;
  /** Called after the backup was verified and before anything is changed. If it throws, nothing is restored. */
  readonly check?: () => void;
}

/** Restores a backup. The caller holds the server lock, so that no server runs on the data. */
export function restoreBackup(place: DataPlace, folder: string, options: RestoreOptions): void {
  decideRestore(place, folder, options);
  finishRestore(place);
}

/**
 * Verifies a backup and copies its files next to the present ones, then writes the journal. From then on the restore is
 * certain to happen: `finishRestore` completes it, either in this process or at the next start.
 */
export function decideRestore(
  place: DataPlace,
  folder: string,
  { suffix, clears = [], newKeys = false, check }: RestoreOptions,
): void {
  const whole = verifyBackup(folder);
  check?.();
  const manifest = newKeys ? withoutSigningKeys(whole) : whole;
  // Removes other users' access to the folder before any secret is copied into it.
  closeDataFolder(place.dataDir);
  makeFolder(dirname(place.databaseFile));
  const apps = putApps(place, folder, manifest);
  putRecordings(place.dataDir, folder, manifest.files);
  const moves = [...stage(place, folder, manifest, suffix), ...strayApps(place, apps, suffix)];
  const cleared = clears.map((file) => ({ file, aside: `${file}.${suffix}`, staged: null }));
  writeDurably(journalOf(place), `${JSON.stringify({ moves: [...moves, ...cleared] }, null, 2)}\n`);
}

/**
 * Completes a restore that `decideRestore` has begun, that is, makes the moves that its journal lists.
 * @returns false if there is no journal
 */
export function finishRestore(place: DataPlace): boolean {
  if (!isRestorePending(place)) return false;
  const journal = journalOf(place);
  const { moves } = JSON.parse(readFileSync(journal, 'utf8')) as { moves: Move[] };
  for (const { file, aside, staged } of moves) {
    if (staged !== null && !existsSync(staged)) continue;
    if (existsSync(file)) {
      makeFolder(dirname(aside));
      closeToOthers(file);
      renameSync(file, aside);
    }
    if (staged === null) continue;
    // Removes other users' access to the file, because an earlier version of svc may have copied it with the mode of
    // the backup's file, which others may be able to read.
    closeToOthers(staged);
    renameSync(staged, file);
  }
  for (const folder of new Set(moves.flatMap(({ file, aside }) => [dirname(file), dirname(aside)])))
    if (existsSync(folder)) syncFolder(folder);
  removeDurably(journal);
  return true;
}

/**
 * @returns whether a restore is incomplete. Until `finishRestore` has run, nothing else must use the files, because some
 * come from the backup and others are still the old ones.
 */
export function isRestorePending(place: DataPlace): boolean {
  return existsSync(journalOf(place));
}

function journalOf({ dataDir }: DataPlace): string {
  return join(dataDir, JOURNAL);
}

/**
 * Copies the backup's database and keys next to the present ones, and lists the moves that replace them. The old
 * write-ahead log is moved before the old database. Otherwise a crash could leave the old log next to the restored
 * database, and SQLite could apply the log to it.
 */
function stage(
  { dataDir, databaseFile }: DataPlace,
  folder: string,
  manifest: Manifest,
  suffix: string,
): Move[] {
  const aside = (file: string) => `${file}.${suffix}`;
  const logs = ['-wal', '-shm', '-journal'].map((end) => ({
    file: `${databaseFile}${end}`,
    aside: `${aside(databaseFile)}${end}`,
    staged: null,
  }));
  const keys = manifest.files
    .map(({ path }) => path)
    .filter((path) => path !== DATABASE && !isApp(path) && !isRecordingPath(path));
  const others = keyFilesIn(dataDir).filter((name) => !keys.includes(name));
  const placed = [
    { from: join(folder, DATABASE), file: databaseFile },
    ...keys.map((name) => ({ from: join(folder, name), file: join(dataDir, name) })),
  ];
  for (const { from, file } of placed) {
    rmSync(`${file}${STAGED}`, { force: true });
    copyDurably(from, `${file}${STAGED}`);
    syncFolder(dirname(file));
  }
  return [
    ...logs,
    ...others.map((name) => ({ file: join(dataDir, name), aside: aside(join(dataDir, name)), staged: null })),
    ...placed.map(({ file }) => ({ file, aside: aside(file), staged: `${file}${STAGED}` })),
  ];
}

/**
 * Copies the apps that the data folder no longer has. Existing files stay, because apps never change.
 * @returns the ids of all apps in the backup's database
 */
function putApps({ dataDir }: DataPlace, folder: string, { files }: Manifest): Set<string> {
  const target = appFolder(dataDir);
  for (const { path, bytes } of files.filter(({ path }) => isApp(path))) {
    const file = join(dataDir, path);
    if (existsSync(file) && statSync(file).size === bytes) continue;
    makeFolder(target);
    const draft = join(target, `${randomUUID()}.part`);
    linkOrCopy(join(folder, path), draft);
    renameSync(draft, file);
  }
  if (existsSync(target)) syncFolder(target);
  return new Set(checkDatabase(join(folder, DATABASE)).apps.map(({ id }) => id));
}

/**
 * Lists moves for the apps that the backup does not have. They are moved aside, because a start would delete apps that
 * are not in the database.
 */
function strayApps({ dataDir }: DataPlace, known: ReadonlySet<string>, suffix: string): Move[] {
  const folder = appFolder(dataDir);
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => !known.has(name) && !name.endsWith('.part'))
    .map((name) => ({ file: join(folder, name), aside: join(`${folder}.${suffix}`, name), staged: null }));
}

function withoutSigningKeys(manifest: Manifest): Manifest {
  return { ...manifest, files: manifest.files.filter(({ path }) => !isSigningKeyFile(path)) };
}

function isApp(path: string): boolean {
  return path.startsWith('apps/');
}
