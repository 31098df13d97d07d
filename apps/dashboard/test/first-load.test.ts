import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { texts } from '../src/texts/en.ts';

const DIST = join(import.meta.dirname, '../dist');
const pages = readdirSync(DIST).filter((file) => file.endsWith('.html'));

/**
 * Returns everything that a browser loads before the page can call the API: the document and all files that the
 * document names.
 */
function firstLoad(page: string): readonly Buffer[] {
  const document = readFileSync(join(DIST, page));
  const named = [...document.toString().matchAll(/(?:src|href)="\.\/([^"]+)"/g)].map(
    ([, file]) => file as string,
  );
  return [document, ...named.map((file) => readFileSync(join(DIST, file)))];
}

describe('size of the first load', () => {
  it('every page is there (contract 1)', () => {
    expect(pages.length).toBeGreaterThanOrEqual(17);
  });

  it.each(pages)('%s is under 60 kB compressed', (page) => {
    const compressed = firstLoad(page).map((bytes) => gzipSync(bytes).length);
    expect(compressed.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThan(60_000);
  });

  it('a page loads no texts of pages that it has nothing in common with', () => {
    const holders = (text: string) => pages.filter((page) => firstLoad(page).some((b) => b.includes(text)));
    expect(holders(texts.reset.title)).not.toContain('devices.html');
    expect(holders(texts.workloads.lead)).toEqual(['workloads.html']);
    expect(holders(texts.commandCheck.lead)).toEqual(['command-check.html']);
  });

  it('each script lies beside its compressed forms', () => {
    const assets = join(DIST, 'assets');
    for (const file of readdirSync(assets).filter((name) => /\.(?:js|css)$/.test(name))) {
      for (const form of ['br', 'gz']) expect(existsSync(join(assets, `${file}.${form}`))).toBe(true);
    }
  });
});
