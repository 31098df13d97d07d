import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { type RunningServer, signIn, startLab } from '../support/lab.ts';
import { readPage } from '../support/pages.ts';
import { cleanUp, type Ran, run, runFolder } from '../support/programs.ts';
import { buildPythonClient } from '../support/python-client.ts';
import { makePerson, type Person } from '../support/sessions.ts';

const python = inject('python');
const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const SOURCE = join(ROOT, 'clients/python');

afterAll(cleanUp);

/** Runs in a folder without the sources, so that the installed client is used. */
function runPython(cwd: string, args: readonly string[], env: Record<string, string> = {}): Promise<Ran> {
  return run(python, args, { cwd, env: { PYTHONDONTWRITEBYTECODE: '1', ...env } });
}

describe.concurrent('the package', () => {
  test('two builds have the same bytes', async ({ expect }) => {
    const [first, second] = await Promise.all([buildPythonClient(python), buildPythonClient(python)]);
    expect(Object.keys(first.digests)).toHaveLength(2);
    expect(second.digests).toEqual(first.digests);
    const { output } = await runPython('/', ['-m', 'zipfile', '-l', first.wheel]);
    for (const file of ['py.typed', 'LICENSE', 'entry_points.txt', 'pytest_plugin.py'])
      expect(output).toContain(file);
    expect(output).not.toContain('/test_');
  });

  test('the Python client’s own tests pass', async ({ expect }) => {
    const folder = runFolder('python-tests');
    cpSync(join(SOURCE, 'tests'), folder, { recursive: true });
    const { code, output } = await runPython(folder, ['-m', 'pytest', '-q', '-p', 'no:cacheprovider']);
    expect(code, output).toBe(0);
    expect(output).toMatch(/^\d+ passed in /m);
  });

  test('mypy and ruff accept it, its tests and the programs of the page', async ({ expect }) => {
    const folder = runFolder('python-types');
    readPage('docs/clients/python.md').writeTo(folder);
    for (const part of ['pyproject.toml', 'src', 'tests'])
      cpSync(join(SOURCE, part), join(folder, part), { recursive: true });
    const programs = ['example.py', 'devices.py'];
    for (const check of [
      ['mypy', 'src', 'tests', ...programs],
      ['ruff', 'check', '.'],
      ['ruff', 'format', '--check', 'src', 'tests'],
    ]) {
      const { code, output } = await runPython(folder, ['-m', ...check]);
      expect(code, output).toBe(0);
    }
  });

  test('the Python client has the version of all packages', ({ expect }) => {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    expect(readFileSync(join(SOURCE, 'pyproject.toml'), 'utf8')).toContain(`\nversion = "${version}"\n`);
  });
});

describe('with a lab that checks every command', () => {
  let lab: RunningServer;
  let own: Person;
  let env: Record<string, string>;
  const folder = runFolder('python-suite');

  beforeAll(async () => {
    lab = await startLab({
      env: {
        SVC_REQUIRE_COMMAND_AUTH: 'true',
        SVC_REQUIRE_SESSION_TOKEN: 'true',
        SVC_MCP_TOKEN_TTL_SEC: '2',
        SVC_LAB_LOG_LEVEL: 'debug',
      },
    });
    own = await makePerson(lab, await signIn(lab.url), 'suite@example.test', 'Super admin');
    env = { SVC_URL: lab.url, SVC_ACCESS_KEY: own.accessKey, SVC_TOKEN: own.token };
    readPage('docs/clients/python.md').writeTo(folder);
    cpSync(fileURLToPath(new URL('./scripts/', import.meta.url)), folder, { recursive: true });
  });
  afterAll(async () => {
    expect(lab.output()).not.toContain(own.token);
    await lab.stop();
  });

  const get = async (path: string) => (await lab.api(path, { headers: own.headers })).json();

  test('the fixtures name, judge and end a session, and give its phone back (contract 2, leases; contract 6)', async () => {
    writeFileSync(
      join(folder, 'test_failing.py'),
      'def test_failing(svc_driver):\n    assert svc_driver.page_source == ""\n',
    );
    const tests = ['test_example.py', 'test_failing.py'];
    const args = [
      '-m',
      'pytest',
      '-q',
      '-s',
      '-p',
      'no:cacheprovider',
      '--showlocals',
      '--full-trace',
      ...tests,
    ];
    const { code, output } = await runPython(folder, args, env);
    expect(output).toMatch(/^1 failed, 2 passed/m);
    expect(code).toBe(1);
    expect(output).not.toContain(own.token);
    const sessions = (await get('/sessions')) as {
      name: string;
      status: string;
      failureReason: string | null;
    }[];
    expect(sessions.map(({ name, status }) => [name, status])).toEqual([
      ['test_failing.py::test_failing', 'failed'],
      ['test_example.py::test_a_phone_of_our_own', 'passed'],
      ['test_example.py::test_any_phone', 'passed'],
    ]);
    expect(sessions[0]?.failureReason).toMatch(/^assert /);
    expect(await get('/leases')).toEqual([]);
  });

  test('the program of the page that calls the REST API (contract 2)', async () => {
    const { code, output } = await runPython(folder, ['devices.py'], env);
    expect(code, output).toBe(0);
    expect(output).toContain('virtual-1 free\n');
    expect(output).toMatch(/^kept virtual-\d$/m);
  });

  test('every call answers what its type says (contract 2)', async () => {
    const { code, output } = await runPython(folder, ['every_call.py'], env);
    expect(code, output).toBe(0);
    expect(output).toMatch(/^checked \d+ shapes$/m);
  });

  test('a command that the gate refused for its ended bearer token is sent again, and no other (spec 5.7.4, 5.3)', async () => {
    const { code, output } = await runPython(folder, ['ended_bearer.py'], {
      ...env,
      SVC_AUDIENCE: 'svc-mcp',
    });
    expect(code, output).toBe(0);
    expect(output).toBe('created\nended\nanswered with another\nover is over\n');
  });
});
