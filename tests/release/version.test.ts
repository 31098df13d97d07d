import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { freshDataDir } from '../support/lab.ts';

const checkout = fileURLToPath(new URL('../../', import.meta.url));
const below = (folder: string) =>
  readdirSync(join(checkout, folder))
    .map((name) => join(folder, name))
    .filter((each) => existsSync(join(checkout, each, 'package.json')));
const packages = ['.', 'bench', 'scripts', 'tests', ...below('apps'), ...below('packages')];
const manifests = packages.map((folder) => join(folder, 'package.json'));
/** Other files that contain the version. */
const OTHERS: Readonly<Record<string, RegExp>> = {
  'clients/python/pyproject.toml': /^version = "(.+)"$/m,
  'clients/java/pom.xml': /^ {2}<version>(.+)<\/version>$/m,
  'docs/clients/java.md': /<groupId>local\.svc<\/groupId>\s*<artifactId>.+\s*<version>(.+)<\/version>/,
};

function versionsIn(root: string): string[] {
  const read = (file: string) => readFileSync(join(root, file), 'utf8');
  const others = Object.entries(OTHERS).map(([file, pattern]) => pattern.exec(read(file))?.[1] ?? file);
  return [...new Set([...manifests.map((file) => JSON.parse(read(file)).version), ...others])];
}

it('every package, the wheel and the jar have one version, which CHANGELOG.md begins with (spec 9.1.1)', () => {
  const [, newest] = /^## (.+)$/m.exec(readFileSync(join(checkout, 'CHANGELOG.md'), 'utf8')) ?? [];
  expect(versionsIn(checkout)).toEqual([newest]);
});

it('a changeset of one package gives all of them the next version, and one change log its entry', () => {
  const copy = freshDataDir();
  const scripts = ['scripts/version.mjs', 'scripts/lib/run.mjs', '.changeset/config.json'];
  for (const file of [
    ...manifests,
    ...Object.keys(OTHERS),
    ...scripts,
    'CHANGELOG.md',
    'pnpm-workspace.yaml',
  ]) {
    cpSync(join(checkout, file), join(copy, file));
  }
  symlinkSync(join(checkout, 'node_modules'), join(copy, 'node_modules'));
  writeFileSync(join(copy, '.changeset/new.md'), '---\n"svc": minor\n---\n\nTwins of phones.\n');
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=test', '-c', 'user.email=test@lab.test', ...args], {
      cwd: copy,
      encoding: 'utf8',
    });
  git('init', '--quiet');
  git('add', '.');
  git('commit', '--quiet', '--message', 'a change');
  const [before = ''] = versionsIn(copy);
  execFileSync(process.execPath, ['scripts/version.mjs'], { cwd: copy, stdio: 'pipe' });

  const next = before.replace(/\.(\d+)\.\d+$/, (_, minor) => `.${Number(minor) + 1}.0`);
  expect(versionsIn(copy)).toEqual([next]);
  const log = readFileSync(join(copy, 'CHANGELOG.md'), 'utf8');
  expect(log).toMatch(new RegExp(`^# svc\n\n## ${next}\n[^#]*### Minor Changes\n[^#]*Twins of phones\\.`));
  expect(log).toContain(`## ${before}\n`);
  // No package gets its own change log.
  expect(git('ls-files', '--others')).toBe('');
}, 30_000);
