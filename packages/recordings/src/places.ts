import { createHash } from 'node:crypto';
import { mkdir, open, rename } from 'node:fs/promises';
import { join } from 'node:path';

const FOLDER_MODE = 0o700;
export const FILE_MODE = 0o600;
/** A folder of recordings; other names are not touched. */
export const KEY = /^[0-9a-f]{32}$/;

export const SUMMARY = 'recording.json';
export const PICTURES = 'pictures.json';

/** Name of the folder of a session. Drivers choose session ids, so an id is never part of a path. */
export function keyOf(session: string): string {
  return createHash('sha256').update(session).digest('hex').slice(0, 32);
}

export function chunkFile(index: number): string {
  return `chunk-${String(index).padStart(6, '0')}.rec`;
}

export function logFile(index: number): string {
  return `log-${String(index).padStart(6, '0')}.rec`;
}

/** @returns the index in the name of a chunk or log file, or undefined if it is another file */
export function indexOf(name: string, kind: 'chunk' | 'log'): number | undefined {
  const found = /^(chunk|log)-(\d{6,9})\.rec$/.exec(name);
  return found?.[1] === kind ? Number(found[2]) : undefined;
}

/** The folders below `recordings/` in the data folder. */
export class Places {
  readonly root: string;
  /** An empty file for each recording that is not complete, so that a start need not look at all of them. */
  readonly open: string;
  /** A small file for each recording that was removed. */
  readonly removed: string;
  /** Files that are not whole yet, and folders that are being deleted. Emptied at each start. */
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

/** The file has its name only once its content is on the disk. */
export async function writeWhole(places: Places, file: string, content: string): Promise<void> {
  const draft = join(places.temporary, `${keyOf(file)}.part`);
  const handle = await open(draft, 'w', FILE_MODE);
  try {
    await handle.writeFile(content);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(draft, file);
}
