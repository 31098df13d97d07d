import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';

const DIST = join(import.meta.dirname, '../dist');
const pages = readdirSync(DIST).filter((file) => file.endsWith('.html'));

/**
 * Returns the size of everything that a browser loads before the page can call the API: the document and all files that
 * the document names.
 */
function firstLoad(page: string): number {
  const document = readFileSync(join(DIST, page));
  const named = [...document.toString().matchAll(/(?:src|href)="\.\/([^"]+)"/g)].map(
    ([, file]) => file as string,
  );
  return [document, ...named.map((file) => readFileSync(join(DIST, file)))]
    .map((bytes) => gzipSync(bytes).length)
    .reduce((sum, bytes) => sum + bytes, 0);
}

describe('size of the first load', () => {
  it('(contract 1) every page is there', () => {
    expect(pages.length).toBeGreaterThanOrEqual(17);
  });

  it.each(pages)('%s is under 60 kB compressed', (page) => {
    expect(firstLoad(page)).toBeLessThan(60_000);
  });

  it('each script lies beside its compressed forms', () => {
    const assets = join(DIST, 'assets');
    for (const file of readdirSync(assets).filter((name) => /\.(?:js|css)$/.test(name))) {
      for (const form of ['br', 'gz']) expect(existsSync(join(assets, `${file}.${form}`))).toBe(true);
    }
  });
});
