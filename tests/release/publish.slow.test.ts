import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const CHECKOUT = fileURLToPath(new URL('../..', import.meta.url));
const publish = (...args: string[]) =>
  spawnSync(process.execPath, ['scripts/publish.mjs', ...args], {
    cwd: CHECKOUT,
    encoding: 'utf8',
    env: { PATH: process.env.PATH, HOME: process.env.HOME },
  });

// `tests/containers` builds the image, and `scripts/check-chart.mjs` checks the chart; helm takes minutes to build.
it.each(['npm', 'pypi', 'maven'])(
  'a dry run of the release builds and checks what goes to %s, and publishes nothing',
  { timeout: 600_000 },
  (target) => {
    const { status, stdout, stderr } = publish('--dry-run', target);
    expect([status, stdout.trim().split('\n').at(-1)], stderr).toEqual([
      0,
      expect.stringMatching(new RegExp(`${target}: \\d+\\.\\d+\\.\\d+ could be published$`)),
    ]);
  },
);

it.each(['image', 'helm'])(
  'a dry run of the release builds the %s, or says which program it lacks',
  { timeout: 600_000 },
  (target) => {
    const { status, stdout, stderr } = publish('--dry-run', target);
    const said = stdout.trim().split('\n').at(-1);
    expect([status, said], stderr).toEqual([
      0,
      expect.stringMatching(
        new RegExp(
          `^${target}: (?:\\d+\\.\\d+\\.\\d+ could be published|skipped, because \\S*(?:docker|helm) is not installed or does not run)$`,
        ),
      ),
    ]);
  },
);

it('a release stops before it publishes anything if a name that it chooses is missing', () => {
  const { status, stdout, stderr } = publish('npm', 'maven');
  expect([status, stdout]).toEqual([1, '']);
  expect(stderr).toBe(
    'The release stopped: set SVC_NPM_SCOPE, SVC_REPOSITORY, SVC_MAVEN_GROUP, SVC_MAVEN_URL\n',
  );
  expect(publish('crates').stderr).toContain('crates is none of npm, pypi, maven, image, helm');
});
