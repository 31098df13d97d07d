import fc from 'fast-check';
import { expect, it } from 'vitest';
import { runAddress } from '../src/workloads/run-address.ts';

const GITHUB = 'https://token.actions.githubusercontent.com';

it.each([
  [GITHUB, { repository: 'o/r', run_id: '812' }, 'https://github.com/o/r/actions/runs/812'],
  [
    'https://ghe.test/_services/token',
    { repository: 'o/r', run_id: 812 },
    'https://ghe.test/o/r/actions/runs/812',
  ],
  [
    'https://gitlab.test',
    { project_path: 'a/b/c', pipeline_id: '7' },
    'https://gitlab.test/a/b/c/-/pipelines/7',
  ],
  [
    'https://gitlab.test/',
    { project_path: 'a/b', pipeline_id: '7', job_id: '9' },
    'https://gitlab.test/a/b/-/jobs/9',
  ],
  [
    'https://agent.buildkite.com',
    { organization_slug: 'o', pipeline_slug: 'p', build_number: 5 },
    'https://buildkite.com/o/p/builds/5',
  ],
  [
    'https://ci.test/oidc',
    { sub: 'https://ci.test/job/app/', build_number: 3 },
    'https://ci.test/job/app/3/',
  ],
])('a token of %s with %j names its run (contract 10.3)', (issuer, claims, address) => {
  expect(runAddress(issuer, claims)).toBe(address);
});

it.each([
  { repository: 'o/r' },
  { run_id: '1' },
  { repository: '../r', run_id: '1' },
  { repository: 'o/..', run_id: '1' },
  { repository: 'o/r?x', run_id: '1' },
  { repository: 'o/r', run_id: '1/../../x' },
  { repository: ['o/r'], run_id: '1' },
  { sub: 'javascript:alert(1)', build_number: 1 },
  { sub: 'data:text/html,x', build_number: 1 },
  { sub: 'https://user:password@ci.test/job', build_number: 1 },
  { sub: `https://ci.test/${'x'.repeat(600)}`, build_number: 1 },
  { sub: 'repo:o/r:ref', build_number: 1 },
  { organization_slug: 'o', pipeline_slug: 'p', build_number: 5 },
])('no address is made of %j (contract 10.3)', (claims) => {
  expect(runAddress(GITHUB, claims)).toBeUndefined();
});

it('an address of a run is a web address without a password, whatever the claims say (contract 10.3)', () => {
  const names = ['repository', 'run_id', 'project_path', 'pipeline_id', 'job_id', 'sub', 'build_number'];
  const value = fc.oneof(
    fc.string(),
    fc.webUrl(),
    fc.integer(),
    fc.constantFrom('o/r', '12', null, '//x', 'a/../b'),
  );
  const claims = fc.dictionary(fc.constantFrom(...names), value, { noNullPrototype: true });
  fc.assert(
    fc.property(claims, (each) => {
      const address = runAddress(GITHUB, each);
      if (address === undefined) return;
      const { protocol, username, password } = new URL(address);
      expect([/^https?:$/.test(protocol), username, password]).toEqual([true, '', '']);
    }),
  );
});
