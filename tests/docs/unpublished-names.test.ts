import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const CHECKOUT = fileURLToPath(new URL('../../', import.meta.url));
/** Files that people read or copy commands from. Decisions and changes describe the past. */
const PLACES = ['*.md', '*.yml', '*.yaml', '*.toml', 'apps/*/src/*', 'packages/*/src/*', 'clients/*'];
const PAST =
  /^(?:docs\/decisions|\.changeset|tests|bench)\/|^CHANGELOG\.md$|^\.github\/workflows\/release\.yml$/;

const NAME = '(?:appium-svc-(?:client|plugin)|svc-proxy)';
/** Commands that install or run a package by its bare name. A path or a package file is no bare name. */
const FETCHES = [
  new RegExp(String.raw`\b(?:npx|npm exec|pnpm dlx|bunx|yarn dlx)\s+(?!--no-install\b)(?:-\S+\s+)*${NAME}\b`),
  new RegExp(String.raw`"-(?:y|-yes)",\s*"${NAME}"`),
  new RegExp(String.raw`--source[= ]npm\s+[^\n]*${NAME}`),
  new RegExp(String.raw`\b(?:npm|pnpm|yarn)\s+(?:install|i|add)\b[^\n]*\s${NAME}(?:@\S+)?(?=\s|$|\`)`),
  new RegExp(String.raw`\bpip3? install\b[^\n]*\s['"]?${NAME}(?=[\s'"=[]|$)`),
];

it.each([
  ['npx -y appium-svc-client login', true],
  ['npx svc-proxy --bearer', true],
  ['npx --no-install appium-svc-client login', false],
  ['appium plugin install --source=npm appium-svc-plugin', true],
  ['npm install webdriverio appium-svc-client', true],
  ['npm install /path/to/svc/out/appium-svc-client-*.tgz', false],
  ['pip install appium-svc-client', true],
  ["pip install './clients/python[pytest]'", false],
])('the pattern of fetched names decides on "%s"', (command, fetches) => {
  expect(FETCHES.some((pattern) => pattern.test(command))).toBe(fetches);
});

it('no page fetches a package by a name that is not published, because anyone could register it', () => {
  const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard', ...PLACES], {
    cwd: CHECKOUT,
    encoding: 'utf8',
  });
  const found = files
    .trim()
    .split('\n')
    .filter((file) => !PAST.test(file))
    .flatMap((file) =>
      readFileSync(join(CHECKOUT, file), 'utf8')
        .split('\n')
        .filter((line) => FETCHES.some((pattern) => pattern.test(line)))
        .map((line) => `${file}: ${line.trim()}`),
    );
  expect(found).toEqual([]);
});
