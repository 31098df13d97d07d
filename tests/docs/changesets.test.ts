import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';

const FOLDER = resolve(import.meta.dirname, '../../.changeset');
const FRONT_MATTER = /^---\n["']svc["']: (?:major|minor|patch)\n---\n\n\S/;

it('every changeset names the package and the kind of the change', () => {
  const files = readdirSync(FOLDER).filter((name) => name.endsWith('.md') && name !== 'README.md');
  const broken = files.filter((name) => !FRONT_MATTER.test(readFileSync(join(FOLDER, name), 'utf8')));
  expect(broken).toEqual([]);
});
