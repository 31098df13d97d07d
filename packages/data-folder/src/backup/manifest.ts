import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isRecord } from '@svc/contract';
import { isKeyFile } from '../file-names.ts';
import { isRecordingPath } from './recording-path.ts';

const BACKUP_KINDS = ['manual', 'scheduled', 'upgrade'] as const;
/** Reason for a backup. `upgrade` means that it was made automatically before the tables changed. */
export type BackupKind = (typeof BACKUP_KINDS)[number];

export interface BackupFile {
  /** Path within the backup: `svc.db`, the name of a key file, `apps/<id>`, or a file of a recording. */
  readonly path: string;
  readonly bytes: number;
  /** SHA-256 of the file in hex. */
  readonly sha256: string;
}

/** Description of a backup, stored as `manifest.json` in its folder. */
export interface Manifest {
  readonly format: 1;
  readonly kind: BackupKind;
  /** Version of svc that made the backup. */
  readonly version: string;
  /** Time of the backup in ISO 8601. */
  readonly createdAt: string;
  /** Data folder that was backed up. */
  readonly dataDir: string;
  readonly databaseFile: string;
  /** Names of the migrations that had been applied to the database. */
  readonly migrations: readonly string[];
  readonly withApps: boolean;
  readonly files: readonly BackupFile[];
}

export const MANIFEST = 'manifest.json';
export const DATABASE = 'svc.db';
const APP = /^apps\/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Reads the manifest of a backup.
 * @throws Error if the folder is not a backup of a known format
 */
export function readManifest(folder: string): Manifest {
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(join(folder, MANIFEST), 'utf8'));
  } catch (cause) {
    throw new Error(`${folder} is no backup: its ${MANIFEST} cannot be read`, { cause });
  }
  if (!isManifest(content))
    throw new Error(
      `${folder} is a backup of a version that this version does not support: see its ${MANIFEST}`,
    );
  return content;
}

function isManifest(value: unknown): value is Manifest {
  if (!isRecord(value) || value.format !== 1 || !Array.isArray(value.files)) return false;
  const texts = [value.version, value.createdAt, value.dataDir, value.databaseFile];
  return (
    texts.every((text) => typeof text === 'string') &&
    BACKUP_KINDS.some((kind) => kind === value.kind) &&
    Array.isArray(value.migrations) &&
    value.files.every(isFile) &&
    value.files.some(({ path }) => path === DATABASE)
  );
}

/** Checks an entry of the manifest. It accepts only known names, so that no path leads out of the backup's folder. */
function isFile(value: unknown): value is BackupFile {
  if (!isRecord(value)) return false;
  const { path, bytes, sha256 } = value;
  return (
    typeof path === 'string' &&
    (path === DATABASE || isKeyFile(path) || APP.test(path) || isRecordingPath(path)) &&
    Number.isSafeInteger(bytes) &&
    typeof sha256 === 'string'
  );
}
