import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const DOCS = fileURLToPath(new URL('../../docs/', import.meta.url));
/** The page of these names, and pages that quote the specification. */
const QUOTES = /^(?:names-kept\.md|spec-map\.md|decisions\/)/;
const NAMES =
  /healingTiers|SVC_DATABASE_PROVIDER|SVC_AI_|\baiProvider\b|AI provider|\/auto\/|\brelease 2\.\d|\b2\.17\b/;

it('names of earlier releases are on one page alone (contract 9)', () => {
  const pages = readdirSync(DOCS, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md') && !QUOTES.test(name))
    .concat('../README.md', '../apps/appium-plugin/README.md');
  const found = pages.flatMap((name) =>
    readFileSync(`${DOCS}${name}`, 'utf8')
      .split('\n')
      .filter((line) => NAMES.test(line))
      .map((line) => `${name}: ${line.slice(0, 100)}`),
  );
  expect(pages.length).toBeGreaterThan(50);
  expect(found).toEqual([]);
  expect(readFileSync(`${DOCS}names-kept.md`, 'utf8')).toMatch(NAMES);
});
