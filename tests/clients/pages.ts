import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const DOCS = fileURLToPath(new URL('../../docs/clients/', import.meta.url));

/** A fenced block; `file` is the second word behind the fence. */
interface Block {
  readonly language: string;
  readonly file: string | undefined;
  readonly text: string;
}

export interface Page {
  readonly text: string;
  readonly blocks: readonly Block[];
  /** Writes each block that names a file into a folder. */
  writeTo(folder: string): void;
}

/** A page of docs/clients. */
export function readPage(name: string): Page {
  const text = readFileSync(join(DOCS, name), 'utf8');
  const blocks = [...text.matchAll(/^```(\w+)(?: (\S+))?\n(.*?)^```$/gms)].map(
    ([, language = '', file, body = '']): Block => ({ language, file, text: body }),
  );
  return {
    text,
    blocks,
    writeTo: (folder) => {
      for (const block of blocks) {
        if (block.file === undefined) continue;
        const path = join(folder, block.file);
        mkdirSync(dirname(path), { recursive: true });
        writeFileSync(path, block.text);
      }
    },
  };
}
