import { createRequire } from 'node:module';
import { expect, it } from 'vitest';
import { freePort, runNode, startLab } from '../support/lab.ts';

const resolve = createRequire(import.meta.url).resolve;

interface Report {
  readonly ok: boolean;
  readonly findings: readonly {
    readonly check: string;
    readonly outcome: string;
    readonly fix: string | null;
  }[];
}

async function doctor(env: Record<string, string>, ...args: string[]) {
  const run = runNode(resolve('@svc/cli/main.js'), { args: ['doctor', ...args], env });
  const { code } = await run.exited;
  return { code, stdout: run.stdout(), output: run.output() };
}

it('svc doctor of a running lab: what is wrong, with its fix, as text, as JSON and as Appium’s doctor', async () => {
  // Chooses the port before the start, because the public URL is a setting and contains the port.
  const port = String(await freePort());
  const url = `http://127.0.0.1:${port}`;
  const settings = { SVC_PUBLIC_URL: url, SVC_REQUIRE_COMMAND_AUTH: 'true' };
  const lab = await startLab({ env: { ...settings, PORT: port, SVC_LAB_SESSION_DISCOVERY: 'true' } });
  const env = { ...settings, SVC_DATA_DIR: lab.dataDir };

  const { code, stdout, output } = await doctor(env, '--json');
  const report = JSON.parse(stdout) as Report;
  const outcomes = Object.fromEntries(report.findings.map(({ check, outcome }) => [check, outcome]));
  expect(outcomes, output).toMatchObject({
    'node-js': 'ok',
    'file-modes': 'ok',
    'signing-key': 'ok',
    schema: 'ok',
    'default-password': 'failure',
    'audit-trail': 'ok',
    clock: 'ok',
    backups: 'warning',
    server: 'ok',
    'session-discovery': 'ok',
    'proxy-headers': 'ok',
    'proxy-authorization': 'ok',
    'proxy-host': 'ok',
    'proxy-upgrade': 'ok',
    'cookie-flags': 'warning',
    'spoofable-address': 'warning',
  });
  expect(report.ok).toBe(false);
  expect(code).toBe(1);

  const result = await doctor(env);
  expect(result.code).toBe(1);
  expect(result.stdout).toMatch(/^FAILURE {2}default-password: .*\n {9}-> Sign in and change it/m);

  const appium = runNode(resolve('appium/index.js', { paths: [resolve('@svc/lab/package.json')] }), {
    args: ['plugin', 'doctor', 'svc'],
    env: { ...env, APPIUM_HOME: resolve('@svc/lab/package.json').replace(/\/package\.json$/, '') },
  });
  expect((await appium.exited).code).not.toBe(0);
  expect(appium.output()).toMatch(/✖ An active account still has a weak password or the built-in one/);
  expect(appium.output()).toMatch(/✔ The database tables match this version/);
  expect(appium.output()).toMatch(/➜ .*svc admin reset-password/);
  await lab.stop();
}, 120_000);
