import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Searched {
  readonly files: number;
  readonly bytes: number;
  /** Names of the files that contain at least one of the texts. */
  readonly found: readonly string[];
}

/** Searches all files below a folder, including the database and its journals. */
export function searchFolder(folder: string, texts: readonly string[]): Searched {
  let files = 0;
  let bytes = 0;
  const found: string[] = [];
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const content = readFileSync(join(entry.parentPath, entry.name));
    files++;
    bytes += content.length;
    if (texts.some((text) => content.includes(text))) found.push(entry.name);
  }
  return { files, bytes, found };
}
