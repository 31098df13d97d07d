import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { World } from '../conformance/support/world.ts';
import { CiIssuer, type SignedClaims } from '../support/ci-issuer.ts';
import { startApi } from '../support/lab.ts';
import { readPage } from '../support/pages.ts';
import { cleanUp, run, runFolder } from '../support/programs.ts';

const LAB = 'https://lab.example';
const BIN = fileURLToPath(new URL('../../packages/client/bin/appium-svc-client.js', import.meta.url));
const guide = readPage('docs/guides/ci.md');

/** Claims that each CI service signs according to its documentation, and the claims that a rule requires. */
const JOBS = {
  github: {
    repository: 'o/r',
    repository_id: '74',
    repository_owner_id: '65',
    ref: 'refs/heads/main',
    run_number: '812',
  },
  gitlab: { project_path: 'g/p', project_id: '22', namespace_id: '11', ref: 'main', pipeline_id: '812' },
  buildkite: {
    organization_slug: 'o',
    pipeline_slug: 'p',
    organization_id: '0184',
    pipeline_id: '0185',
    build_branch: 'main',
    build_number: 812,
  },
  circleci: {
    'oidc.circleci.com/project-id': '76184244',
    'oidc.circleci.com/vcs-origin': 'github.com/o/r',
    'oidc.circleci.com/vcs-ref': 'refs/heads/main',
  },
  jenkins: { sub: 'https://jenkins.example/job/nightly/', build_number: 812 },
} satisfies Record<string, SignedClaims>;
const PINS: Record<keyof typeof JOBS, string> = {
  github: 'repository_id',
  gitlab: 'project_id',
  buildkite: 'pipeline_id',
  circleci: 'oidc.circleci.com/project-id',
  jenkins: 'sub',
};
const RUNS: Record<keyof typeof JOBS, string> = {
  github: 'o/r@main, run 812',
  gitlab: 'g/p@main, pipeline 812',
  buildkite: 'o/p@main, build 812',
  circleci: 'github.com/o/r@main',
  jenkins: 'https://jenkins.example/job/nightly/, build 812',
};

describe('ci-login', () => {
  let world: World;
  let issuer: CiIssuer;
  let folder: string;
  /** Folder at the start of PATH with programs that replace those of a CI service. */
  let programs: string;

  beforeAll(async () => {
    world = await World.start(startApi, { SVC_PUBLIC_URL: LAB });
    issuer = await CiIssuer.start();
    folder = runFolder('ci-job');
    programs = join(folder, 'bin');
    mkdirSync(programs);
    program('npx', `shift 2; exec '${process.execPath}' '${BIN}' "$@"`);
    program('npm', `[ "$1" = ci ] || exec '${process.execPath}' -e '${WHO}'`);
    for (const [ci, claims] of Object.entries(JOBS)) {
      const claim = PINS[ci as keyof typeof JOBS];
      const anyOf = [String((claims as SignedClaims)[claim])];
      const json = { name: ci, issuer: issuer.url, claims: [{ claim, anyOf }], scopes: ['read', 'sessions'] };
      await world.ok('POST', '/trust-rules', { as: world.root.as, json });
    }
  });
  afterAll(async () => {
    await issuer.close();
    await world.server.stop();
    cleanUp();
  });

  /** Script that replaces the tests of a project. It prints whose token the environment contains. */
  const WHO =
    'fetch(process.env.SVC_URL + "/svc/api/auth/me", { headers: { authorization: "Bearer " + process.env.SVC_ACCESS_TOKEN } }).then(async (answer) => console.log(JSON.stringify([(await answer.json()).via?.ruleName, Boolean(process.env.SVC_SESSION_TOKEN)])))';
  function program(name: string, script: string): void {
    writeFileSync(join(programs, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(programs, name), 0o755);
  }
  const sign = (ci: keyof typeof JOBS, claims: SignedClaims = {}) =>
    issuer.sign({ aud: LAB, sub: `job of ${ci}`, ...JOBS[ci], ...claims });
  /**
   * Runs a script of the guide. Adds the audience of the lab, because the server of this test has no https address from
   * which the script could derive it.
   */
  const shell = (script: string, env: Record<string, string>) =>
    run('sh', ['-e', '-c', script.replace(/ci-login/g, `ci-login --audience ${LAB}`)], {
      cwd: folder,
      env: { PATH: `${programs}:${process.env.PATH}`, SVC_URL: world.url, ...env },
    });
  const lastRun = async (ci: keyof typeof JOBS) => {
    const rules = await world.ok('GET', '/trust-rules', { as: world.root.as });
    return rules.find(({ name }: { name: string }) => name === ci).runs[0].run;
  };
  const secretsIn = (output: string) => output.match(/eyJ[\w-]+\.[\w-]+\.[\w-]+/g) ?? [];

  it('GitHub Actions: the recipe runs, and the log has tokens only where the runner masks them (contract 10.3)', async () => {
    const token = await sign('github');
    issuer.answer = (path, response) => {
      if (!path.startsWith('/request')) return false;
      const { searchParams } = new URL(path, issuer.url);
      response.end(JSON.stringify({ value: searchParams.get('audience') === LAB ? token : '' }));
      return true;
    };
    const github = join(folder, 'github.env');
    writeFileSync(github, 'OTHER=kept\n');
    const steps: { run?: string }[] = parse(guide.block('github.yml')).jobs.tests.steps;
    const [install = '', login = '', test = ''] = steps.flatMap((step) => step.run ?? []);
    expect(install).toBe('npm ci');
    const first = await shell(login, {
      GITHUB_ACTIONS: 'true',
      GITHUB_ENV: github,
      ACTIONS_ID_TOKEN_REQUEST_URL: `${issuer.url}/request?api-version=2`,
      ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'secret-of-the-runner',
    });
    issuer.answer = undefined;
    expect(first.code, first.output).toBe(0);
    const shown = first.output.split('\n').filter((line) => !line.startsWith('::add-mask::'));
    expect(secretsIn(shown.join('\n'))).toEqual([]);
    expect(first.output).not.toContain('secret-of-the-runner');
    const lines = readFileSync(github, 'utf8').trim().split('\n');
    expect(lines.map((line) => line.split('=')[0])).toEqual([
      'OTHER',
      'SVC_ACCESS_TOKEN',
      'SVC_SESSION_TOKEN',
    ]);
    expect(lines.slice(1).map((line) => `::add-mask::${line.slice(line.indexOf('=') + 1)}`)).toEqual(
      first.output.split('\n').filter((line) => line.startsWith('::add-mask::')),
    );
    const second = await shell(
      test,
      Object.fromEntries(lines.map((line) => line.split('=') as [string, string])),
    );
    expect(second.output.trim()).toBe('["github",true]');
    expect(await lastRun('github')).toBe(RUNS.github);
  });

  const recipes: [keyof typeof JOBS, () => string, Record<string, string>][] = [
    ['gitlab', () => parse(guide.block('gitlab.yml')).tests.script.join('\n'), { GITLAB_CI: 'true' }],
    [
      'jenkins',
      () => guide.block('Jenkinsfile').split("'''")[1] ?? '',
      { JENKINS_URL: 'https://jenkins.example' },
    ],
    ['buildkite', () => parse(guide.block('buildkite.yml')).steps[0].command, { BUILDKITE: 'true' }],
    ['circleci', () => parse(guide.block('buildkite.yml')).steps[0].command, { CIRCLECI: 'true' }],
  ];
  it.each(recipes)(
    '%s: the recipe runs, and its log has no token (contract 10.3)',
    async (ci, script, env) => {
      const token = await sign(ci);
      const asks = ci === 'buildkite' || ci === 'circleci';
      program('buildkite-agent', `[ "$*" = "oidc request-token --audience ${LAB}" ] && echo '${token}'`);
      program('circleci', `[ "$*" = 'run oidc get --claims {"aud":"${LAB}"}' ] && echo '${token}'`);
      const { code, output } = await shell(script(), { ...env, ...(asks ? {} : { SVC_ID_TOKEN: token }) });
      expect(code, output).toBe(0);
      expect(output).toContain(`["${ci}",true]`);
      expect(secretsIn(output)).toEqual([]);
      expect(await lastRun(ci)).toBe(RUNS[ci]);
    },
  );

  it('a program after --exec gets the tokens, its exit code is returned, and it does not run if the exchange fails', async () => {
    const login = async (program: string, token: string) =>
      shell(`npx --no-install appium-svc-client ci-login ${program}`, { SVC_ID_TOKEN: token });
    const script = `'${process.execPath}' -e 'console.log("ran " + Boolean(process.env.SVC_ACCESS_TOKEN)); process.exit(7)' -- --help`;
    const ran = await login(`--exec ${script}`, await sign('gitlab'));
    expect([ran.code, ran.output]).toEqual([7, expect.stringContaining('ran true')]);
    const refused = await login(`--exec ${script}`, 'a.b.c');
    expect(refused.code).toBe(1);
    expect(refused.output).not.toContain('ran ');
    expect((await login('--exec no-such-program-here', await sign('gitlab'))).output).toContain(
      'could not be started',
    );
    expect((await login('--exec', await sign('gitlab'))).code).toBe(2);
  });

  it('a file is private and new, and scopes are narrowed (contract 10.3)', async () => {
    const file = join(folder, 'svc.env');
    const login = async () =>
      shell(`npx --no-install appium-svc-client ci-login --file ${file} --scope read`, {
        SVC_ID_TOKEN: await sign('gitlab'),
      });
    const { code, output } = await login();
    expect(code, output).toBe(0);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, 'utf8')).toMatch(/^SVC_ACCESS_TOKEN=[\w-]+\.[\w-]+\.[\w-]+\n$/);
    expect((await login()).code).toBe(1);
  });

  it.each<[string, Record<string, string>, string, number]>([
    ['--print', { GITHUB_ACTIONS: 'true' }, 'id-token: write', 2],
    ['--print', { GITLAB_CI: 'true' }, 'id_tokens', 2],
    ['--print', { JENKINS_URL: 'x' }, 'SVC_ID_TOKEN', 2],
    ['--print', {}, 'No CI was recognised', 2],
    ['', { SVC_ID_TOKEN: 'a.b.c' }, '--file <path>', 2],
    ['--print', { SVC_ID_TOKEN: 'a.b.c' }, 'did not accept the token', 1],
    ['--print', { SVC_ID_TOKEN: 'a.b.c', SVC_URL: 'http://lab.example' }, 'https', 2],
    ['--print a.secret.argument', { SVC_ID_TOKEN: 'a.b.c' }, 'Usage:', 2],
  ])(
    'ci-login says what is missing and shows no token: %s %j (contract 10.3)',
    async (args, env, text, status) => {
      const { code, output } = await shell(`npx --no-install appium-svc-client ci-login ${args}`, env);
      expect([code, output]).toEqual([status, expect.stringContaining(text)]);
      expect(output).not.toMatch(/a\.b\.c|a\.secret/);
    },
  );
});
