import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const CHECKOUT = fileURLToPath(new URL('../../', import.meta.url));

/** A fenced block; `file` is the second word after the fence. */
interface Block {
  readonly language: string;
  readonly file: string | undefined;
  readonly text: string;
}

export interface Page {
  readonly text: string;
  readonly blocks: readonly Block[];
  /** @returns the text of the block with that file name */
  block(file: string): string;
  /** Writes each block that names a file to a folder. */
  writeTo(folder: string): void;
}

/** Reads a page of the documentation by its path in the repository. */
export function readPage(path: string): Page {
  const text = readFileSync(join(CHECKOUT, path), 'utf8');
  const blocks = [...text.matchAll(/^```(\w+)(?: (\S+))?\n(.*?)^```$/gms)].map(
    ([, language = '', file, body = '']): Block => ({ language, file, text: body }),
  );
  return {
    text,
    blocks,
    block: (file) => {
      const found = blocks.find((block) => block.file === file);
      if (found === undefined) throw new Error(`${path} has no block named ${file}`);
      return found.text;
    },
    writeTo: (folder) => {
      for (const block of blocks) {
        if (block.file === undefined) continue;
        const file = join(folder, block.file);
        mkdirSync(dirname(file), { recursive: true });
        writeFileSync(file, block.text);
      }
    },
  };
}
