import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { routes } from '@svc/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshDataDir, makeToken, type RunningServer, runNode, signIn, startLab } from '../support/lab.ts';
import { run } from '../support/programs.ts';
import { type Registry, startRegistry } from './support/registry.ts';

const NAME = 'appium-svc-client';
const BUNDLER = fileURLToPath(new URL('../../scripts/package.mjs', import.meta.url));
const require = createRequire(import.meta.url);
const TSC = join(dirname(require.resolve('typescript/package.json')), 'bin/tsc');
const versions: Record<string, string> = require('../package.json').devDependencies;

const out = freshDataDir();
/** A project outside this repository, which installs everything from the registry. */
const project = freshDataDir();
let registry: Registry;
let lab: RunningServer;
let env: Record<string, string>;

beforeAll(async () => {
  const bundled = runNode(BUNDLER, { args: ['--out', out, NAME] });
  expect(await bundled.exited, bundled.output()).toMatchObject({ code: 0 });
  [registry, lab] = await Promise.all([
    startRegistry(),
    startLab({ env: { SVC_REQUIRE_COMMAND_AUTH: 'true', SVC_REQUIRE_SESSION_TOKEN: 'true' } }),
  ]);
  await registry.publish(join(out, NAME));
  writeFileSync(join(project, 'package.json'), '{"private":true}');
  const wanted = [NAME, ...['selenium-webdriver', '@types/selenium-webdriver', '@types/node'].map(pinned)];
  execFileSync('npm', ['install', '--no-audit', '--no-fund', ...wanted], {
    cwd: project,
    env: { PATH: process.env.PATH, HOME: freshDataDir(), ...registry.env },
    stdio: 'pipe',
  });
  const { accessKey, token } = await makeToken(lab.url, await signIn(lab.url));
  env = { SVC_URL: lab.url, SVC_ACCESS_KEY: accessKey, SVC_TOKEN: token };
}, 180_000);

afterAll(async () => {
  await Promise.all([lab?.stop(), registry?.process.stop()]);
});

const pinned = (name: string) => `${name}@${versions[name] ?? '20.19.43'}`;
const write = (file: string, text: string) => writeFileSync(join(project, file), text);
const node = (file: string) => run(process.execPath, [file], { cwd: project, env });

describe('what is published', () => {
  it('the client package is small, needs nothing, and has the same bytes when it is made again', async () => {
    const manifest = JSON.parse(readFileSync(join(out, NAME, 'package.json'), 'utf8'));
    expect(manifest).not.toHaveProperty('dependencies');
    expect(manifest).not.toHaveProperty('devDependencies');
    const sbom = JSON.parse(readFileSync(join(out, NAME, 'sbom.cdx.json'), 'utf8'));
    expect(sbom).toMatchObject({ bomFormat: 'CycloneDX', specVersion: '1.6', components: [{ name: 'ws' }] });
    const tarball = `${NAME}-${manifest.version}.tgz`;
    expect(statSync(join(out, tarball)).size).toBeLessThan(128 * 1024);
    const again = freshDataDir();
    const bundled = runNode(BUNDLER, { args: ['--out', again, NAME] });
    expect(await bundled.exited, bundled.output()).toMatchObject({ code: 0 });
    expect(readFileSync(join(again, tarball)).equals(readFileSync(join(out, tarball)))).toBe(true);
  }, 60_000);

  it('the client package has short lines, so that an uncaught error is printed in a few lines', async () => {
    const dist = join(out, NAME, 'dist');
    const files = readdirSync(dist).filter((name) => name.endsWith('.js'));
    const longest = files.flatMap((name) => readFileSync(join(dist, name), 'utf8').split('\n'));
    expect(Math.max(...longest.map(({ length }) => length))).toBeLessThan(1_000);
    const broken = join(freshDataDir(), NAME);
    cpSync(join(out, NAME), broken, { recursive: true });
    const program = join(broken, 'dist/command.js');
    writeFileSync(program, `${readFileSync(program, 'utf8').trimEnd()};setTimeout(() => null.mistake);`);
    const run = runNode(join(broken, 'bin/appium-svc-client.js'), { args: ['token', 'svct_x'] });
    await run.exited;
    expect(run.output()).toMatch(/^TypeError: .*mistake/m);
    expect(run.output().length).toBeLessThan(2_000);
  });

  it.each([dirname(dirname(BUNDLER)), '@svc/', 'typebox'])('the client package names %s nowhere', (text) => {
    const { status, stdout } = spawnSync('grep', ['-rlF', text, join(out, NAME)]);
    expect({ status, files: String(stdout) }).toEqual({ status: 1, files: '' });
  });
});

const ROUTES = `{ ${Object.keys(routes)
  .map((name) => `${name}: true`)
  .join(', ')} }`;
const PROGRAM = `
import { type AnswerOf, type Calls, type ErrorCode, followEvents, fromEnv, lease, SvcClient, SvcError, SvcService,
  type Role, type RouteName, webdriverioConnection } from '${NAME}';
import { startProxy } from '${NAME}/proxy';

export const everyRoute: Record<RouteName, true> = ${ROUTES};
export const lab: SvcClient = fromEnv();
export async function use(): Promise<void> {
  const phones: { udid: string; status: 'free' | 'busy' | 'away' }[] = await lab.call('listDevices');
  const role: Role = (await lab.me()).role;
  const next: string | null = (await lab.call('auditTrail', { query: { limit: '5' } })).next;
  const nothing: undefined = await lab.call('removeTeam', { params: { id: '1' } });
  const text: string = await lab.call('metrics');
  const made: AnswerOf<'createLease'> & Calls['createLease']['answer'] = await lab.call('createLease', { body: { minutes: 5 } });
  const held = await lease(lab, { platform: 'Fake', minutes: 5 });
  await held[Symbol.asyncDispose]();
  const url: string = lab.socketUrl('streamLogs', { params: { udid: made.udid }, query: { ticket: 't' } });
  followEvents(lab, { onEvent: ({ type, payload }) => void [type, payload] }).close();
  await startProxy({ to: lab.url, headers: { names: [], current: () => ({}), ready: async () => ({}), stop: () => {} } });
  new SvcService({ lease: { minutes: 5 } });
  const port: number = (await webdriverioConnection(lab, { lease: held })).port;
  try {
    // @ts-expect-error a route needs its parameters
    await lab.call('removeTeam');
    // @ts-expect-error no such route
    await lab.call('noSuchRoute');
    // @ts-expect-error a field the route does not know
    await lab.call('createLease', { body: { minutes: 5, hours: 1 } });
    // @ts-expect-error a WebSocket is not called
    await lab.call('liveEvents');
    void [phones, role, next, nothing, text, url, port];
  } catch (error) {
    if (error instanceof SvcError && error.code === 'device_busy') return;
    // @ts-expect-error not a code of the API
    if (error instanceof SvcError && error.code === 'device_bussy') return;
    const known: ErrorCode = 'not_found';
    throw [known, error];
  }
}
`;
const SELENIUM = `
import { createDriver } from '${NAME}/selenium';
import type { WebDriver } from 'selenium-webdriver';

export const start = async (): Promise<WebDriver> => createDriver(fromEnv(), { platformName: 'Fake' });
`;
const STRICT = [
  '--noEmit',
  '--strict',
  '--skipLibCheck',
  'false',
  '--target',
  'es2022',
  '--exactOptionalPropertyTypes',
];

describe('its types', () => {
  it.each([
    [
      'ESM and CommonJS on Node',
      ['esm.mts', 'common.cts'],
      ['--module', 'nodenext', '--types', 'node', '--lib', 'es2022'],
    ],
    [
      'a bundler, without Node',
      ['page.ts'],
      ['--module', 'esnext', '--moduleResolution', 'bundler', '--lib', 'es2022,dom'],
    ],
  ])(
    'the types of the client package stand alone for %s',
    async (_, files, options) => {
      for (const file of files) write(file, file === 'esm.mts' ? PROGRAM + SELENIUM : PROGRAM);
      const { code, output } = await run(process.execPath, [TSC, ...STRICT, ...options, ...files], {
        cwd: project,
      });
      expect(code, output).toBe(0);
    },
    60_000,
  );
});

describe('installed from a registry', () => {
  it('the client package from a registry asks the lab from ESM and from CommonJS', async () => {
    const body = `(async () => console.log('me:', (await fromEnv().me()).email))();`;
    write('ask.mjs', `import { fromEnv } from '${NAME}';\n${body}`);
    write('ask.cjs', `const { fromEnv } = require('${NAME}');\n${body}`);
    for (const file of ['ask.mjs', 'ask.cjs']) {
      expect(await node(file)).toEqual({ code: 0, output: 'me: admin@svc.local\n' });
    }
  });

  it('the client package from a registry drives a session of selenium-webdriver on a leased phone (spec 5.4.1, 5.7.2)', async () => {
    write(
      'drive.mjs',
      `import { fromEnv, lease } from '${NAME}';
      import { createDriver } from '${NAME}/selenium';
      const lab = fromEnv();
      const held = await lease(lab, { platform: 'Fake', minutes: 5 });
      const { webDriver } = await lab.capabilities();
      const phone = await createDriver(lab, webDriver.example, { lease: held });
      const [session] = await lab.call('listSessions');
      console.log('leased:', session.device.udid === held.udid, 'source:', (await phone.getPageSource()).length > 0);
      await phone.quit();
      await held.end();
      console.log('left:', (await lab.call('listLeases')).length);`,
    );
    const { code, output } = await node('drive.mjs');
    expect(code, output).toBe(0);
    expect(output).toBe('leased: true source: true\nleft: 0\n');
  }, 60_000);

  it('the client package from a registry saves the report of a session with its program (contract 11)', async () => {
    const [session] = (await (
      await lab.api('/sessions', { headers: { cookie: await signIn(lab.url) } })
    ).json()) as {
      id: string;
    }[];
    const program = join(project, 'node_modules/.bin/appium-svc-client');
    const { code, output } = await run(
      program,
      ['report', String(session?.id), '--file', 'out/report.html'],
      {
        cwd: project,
        env: { ...env, PATH: process.env.PATH ?? '' },
      },
    );
    expect({ code, output }).toEqual({ code: 0, output: 'out/report.html\n' });
    expect(readFileSync(join(project, 'out/report.html'), 'utf8')).toContain(String(session?.id));
  });

  it('the client package from a registry has svc-proxy', async () => {
    const { code, output } = await run(join(project, 'node_modules/.bin/svc-proxy'), ['--help'], {
      cwd: project,
    });
    expect({ code, usage: output.split('\n')[0] }).toMatchObject({ code: 0 });
    expect(output).toMatch(/^Usage: svc proxy/);
  });
});
