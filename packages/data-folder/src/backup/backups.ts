import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { checkDatabase } from '@svc/store-sqlite';
import { hashFile } from '../durable-files.ts';
import { type BackupKind, DATABASE, MANIFEST, type Manifest, readManifest } from './manifest.ts';

export interface Backup {
  readonly folder: string;
  readonly manifest: Manifest;
}

/** @returns the backups in a folder, oldest first. Leaves out backups without a readable manifest. */
export function listBackups(dir: string): Backup[] {
  if (!existsSync(dir)) return [];
  return readdirSync(dir, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !isUnfinished(entry.name))
    .map(({ name }) => join(dir, name))
    .filter((folder) => existsSync(join(folder, MANIFEST)))
    .flatMap((folder) => {
      try {
        return [{ folder, manifest: readManifest(folder) }];
      } catch {
        return [];
      }
    })
    .sort((one, other) => (one.manifest.createdAt < other.manifest.createdAt ? -1 : 1));
}

/** @returns whether a folder with this name is an incomplete backup */
export function isUnfinished(name: string): boolean {
  return name.endsWith('.part');
}

/**
 * Reads a whole backup and compares each file with its hash in the manifest.
 * @throws Error that names the first file that is missing or damaged
 */
export function verifyBackup(folder: string): Manifest {
  const manifest = readManifest(folder);
  for (const { path, bytes, sha256 } of manifest.files) {
    const file = join(folder, path);
    if (!existsSync(file)) throw new Error(`The backup ${folder} is not whole: ${path} is missing`);
    const found = hashFile(file);
    if (found.bytes !== bytes || found.sha256 !== sha256)
      throw new Error(`The backup ${folder} is damaged: ${path} has changed since the backup was made`);
  }
  checkDatabase(join(folder, DATABASE));
  return manifest;
}

/**
 * Removes the oldest backups of one kind and one data folder, so that the newest `keep` remain.
 * @returns the folders that it removed
 */
export function pruneBackups(
  dir: string,
  { kind, dataDir, keep }: { kind: BackupKind; dataDir: string; keep: number },
): string[] {
  const all = listBackups(dir).filter(
    ({ manifest }) => manifest.kind === kind && manifest.dataDir === dataDir,
  );
  const old = all.slice(0, Math.max(0, all.length - keep)).map(({ folder }) => folder);
  for (const folder of old) rmSync(folder, { recursive: true, force: true });
  return old;
}
