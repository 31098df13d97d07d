import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const checkout = fileURLToPath(new URL('../../', import.meta.url));
const pagesIn = (folder: string, recursive: boolean) =>
  readdirSync(join(checkout, folder), { recursive, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name));
// scripts/spec-map.mjs generates docs/spec-map.md from the tests, so its links are not checked.
const pages = [...pagesIn('.', false), ...pagesIn('docs', true), ...pagesIn('clients/java', false)].filter(
  (page) => !page.endsWith('spec-map.md'),
);

/** @returns the anchor that GitHub gives a heading */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\- _]/gu, '')
    .replaceAll(' ', '-');

const anchorsOf = (page: string) =>
  [...readFileSync(page, 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, heading]) => anchorOf(heading as string));

test.for(pages)('every link on %s leads to a file, and to a heading of it (contract 9)', (page) => {
  const text = readFileSync(join(checkout, page), 'utf8').replace(/^```.*?^```$/gms, '');
  const broken = [...text.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, link]) => link as string)
    .filter((link) => !/^[a-z]+:/.test(link))
    .filter((link) => {
      const [path = '', anchor] = link.split('#');
      const file = path === '' ? join(checkout, page) : join(checkout, dirname(page), path);
      return !existsSync(file) || (anchor !== undefined && !anchorsOf(file).includes(anchor));
    });
  expect(broken).toEqual([]);
});
