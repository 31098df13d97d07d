import { createHash } from 'node:crypto';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';

const FOLDER_MODE = 0o700;
export const FILE_MODE = 0o600;
/** Pattern for the name of a folder that contains one recording. Folders with other names are not touched. */
export const KEY = /^[0-9a-f]{32}$/;

export const SUMMARY = 'recording.json';
export const PICTURES = 'pictures.json';

/**
 * @returns the name of the folder for the recording of a session: a hash of the session id, because drivers choose
 * these ids and an id in a path could lead out of the folder
 */
export function keyOf(session: string): string {
  return createHash('sha256').update(session).digest('hex').slice(0, 32);
}

export function chunkFile(index: number): string {
  return `chunk-${String(index).padStart(6, '0')}.rec`;
}

export function logFile(index: number): string {
  return `log-${String(index).padStart(6, '0')}.rec`;
}

/** @returns the number in the name of a chunk file or log file, or undefined for any other file */
export function indexOf(name: string, kind: 'chunk' | 'log'): number | undefined {
  const found = /^(chunk|log)-(\d{6,9})\.rec$/.exec(name);
  return found?.[1] === kind ? Number(found[2]) : undefined;
}

/** Paths of the folders below `recordings/`, which is a folder in the data folder. */
export class Places {
  readonly root: string;
  /**
   * Folder with an empty file for each recording that is not complete. When the server starts, it finds here the
   * recordings that it must complete, and need not open the others.
   */
  readonly open: string;
  /**
   * Folder with a small file for each recording that was removed, so that a removed recording can be distinguished from
   * one that never existed.
   */
  readonly removed: string;
  /**
   * Folder for files that are not completely written, and for folders that are being deleted. It is emptied at each
   * start of the server.
   */
  readonly temporary: string;

  constructor(root: string) {
    this.root = root;
    this.open = join(root, 'open');
    this.removed = join(root, 'removed');
    this.temporary = join(root, 'temporary');
  }

  folderOf(key: string): string {
    return join(this.root, key);
  }

  async make(): Promise<void> {
    for (const folder of [this.root, this.open, this.removed, this.temporary])
      await mkdir(folder, { recursive: true, mode: FOLDER_MODE });
  }

  async makeFolder(key: string): Promise<void> {
    await this.make();
    await mkdir(this.folderOf(key), { mode: FOLDER_MODE });
  }
}

/**
 * Writes a file completely under a temporary name and then renames it, so that a crash never leaves a partial file
 * under its final name. If writing fails, for example on a full disk, the temporary file is removed.
 */
export async function writeWhole(places: Places, file: string, content: string): Promise<void> {
  const draft = join(places.temporary, `${keyOf(file)}.part`);
  try {
    const handle = await open(draft, 'w', FILE_MODE);
    try {
      await handle.writeFile(content);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}
