import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freshDataDir } from '../support/lab.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const COPIED = ['apps', 'docs', 'packages', 'scripts', 'tests', 'package.json', 'vitest.config.ts'];
const CONFIGS = ['tsconfig.json', 'tsconfig.base.json', 'tsconfig.tests.json'];
/** Caches inside `node_modules`. */
const CACHES: ReadonlySet<string> = new Set(['.bin', '.cache', '.vite', '.vite-temp']);

/** A copy of the repository that a recipe may change. Builds are copied too, so that only changed packages are built. */
export class Copy {
  readonly folder = freshDataDir();

  constructor() {
    for (const name of [...COPIED, ...CONFIGS]) {
      cpSync(join(ROOT, name), join(this.folder, name), {
        recursive: true,
        preserveTimestamps: true,
        // Links between packages of the workspace are relative, so they lead to the copy.
        verbatimSymlinks: true,
        filter: (file) => !CACHES.has(basename(file)),
      });
    }
    symlinkSync(join(ROOT, 'node_modules'), join(this.folder, 'node_modules'));
  }

  read(file: string): string {
    return readFileSync(join(this.folder, file), 'utf8');
  }

  /** Adds a file, which must not exist. */
  add(file: string, content: string): void {
    const path = join(this.folder, file);
    if (existsSync(path)) throw new Error(`${file} exists`);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }

  /** Inserts lines in front of the first occurrence of a text. */
  insertBefore(file: string, text: string, lines: string): void {
    const content = this.read(file);
    if (!content.includes(text)) throw new Error(`${file} does not contain ${text}`);
    writeFileSync(
      join(this.folder, file),
      content.replace(text, () => lines + text),
    );
  }
}

/** @returns the code blocks of a section of CONTRIBUTING.md, without the indentation of their list */
export function blocksOf(section: string): string[] {
  return [...textOf(section).matchAll(/^( *)```ts\n(.*?)^ *```$/gms)].map(([, indent = '', code = '']) =>
    code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  );
}

/** @returns the code in backticks of a section of CONTRIBUTING.md that begins with `start` */
export function inlineCode(section: string, start: string): string {
  const found = [...textOf(section).matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code);
  const code = found.find((each) => each.startsWith(start));
  if (code === undefined) throw new Error(`"${section}" has no code that begins with ${start}`);
  return code;
}

function textOf(section: string): string {
  const page = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8');
  const found = page.split(/^## /m).find((part) => part.startsWith(`${section}\n`));
  if (found === undefined) throw new Error(`CONTRIBUTING.md has no section "${section}"`);
  return found;
}
