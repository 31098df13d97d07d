import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  commandHeaders,
  SvcClient,
  webdriverioConnection,
  webdriverioOptions,
  withCredentials,
} from '@svc/client';
import { createDriver } from '@svc/client/selenium';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { remote } from 'webdriverio';
import {
  type KeyPair,
  labInfo,
  makeToken,
  makeUser,
  type RunningServer,
  runNode,
  signIn,
  startLab,
} from '../support/lab.ts';
import { readPage } from '../support/pages.ts';
import { cleanUp, type Ran, run, runFolder } from '../support/programs.ts';

/** Shorter than the run of a page, so that the first token expires during the run. */
const TOKEN_SECONDS = 6;
const RUN_SECONDS = 15;

let lab: RunningServer;
let admin: string;

beforeAll(async () => {
  lab = await startLab({
    env: {
      SVC_REQUIRE_COMMAND_AUTH: 'true',
      SVC_REQUIRE_SESSION_TOKEN: 'true',
      SVC_MCP_TOKEN_TTL_SEC: String(TOKEN_SECONDS),
      SVC_LAB_DEVICES: '12',
      SVC_LAB_LOG_LEVEL: 'debug',
    },
  });
  admin = await signIn(lab.url);
});
afterAll(async () => {
  cleanUp();
  await lab?.stop();
});

interface Tester {
  readonly id: string;
  readonly pair: KeyPair;
}

/** Creates a Member, because an admin could drive a session without owning it. */
async function tester(name: string): Promise<Tester> {
  const { id, cookie } = await makeUser(lab.url, admin, { email: `${name}@example.com` });
  return { id, pair: await makeToken(lab.url, cookie) };
}

async function bearersOf({ id }: Tester): Promise<number> {
  const answer = await lab.api('/audit?limit=999', { headers: { cookie: admin } });
  const { items } = (await answer.json()) as { items: { event: string; actor: string; reason: string }[] };
  return items.filter(
    ({ event, actor, reason }) =>
      event === 'authn_token_created' && actor === id && reason.startsWith('svc-mcp,'),
  ).length;
}

type Start = (folder: string, env: Record<string, string>) => Promise<Ran>;

const node =
  (file: string): Start =>
  (cwd, env) =>
    run(process.execPath, [file], { cwd, env });
const python: Start = (cwd, env) => run(inject('python'), ['example.py'], { cwd, env });
const java: Start = async (cwd, env) =>
  run('mvn', ['--quiet', '--batch-mode', 'test', 'exec:java'], { cwd, env });

/** How a program repeats its command for some seconds, because the programs of the pages send it once. */
const REPEATED = {
  python: [
    /^( +)(print\("source:".*)$/m,
    `$1import time\n$1end = time.monotonic() + ${RUN_SECONDS}\n$1while time.monotonic() < end:\n$1    $2\n$1    time.sleep(0.5)`,
  ],
  java: [
    /^ +(System\.out\.println\("source: .*)$/m,
    `for (long end = System.nanoTime() + ${RUN_SECONDS}_000_000_000L; System.nanoTime() < end; Thread.sleep(500)) $1`,
  ],
} as const;

/**
 * A program without `repeated` ends after one command. Another test uses the client of that page until after the expiry
 * of a token.
 */
const PAGES: readonly {
  page: string;
  program: string;
  start: Start;
  bidi?: boolean;
  repeated?: readonly [RegExp, string];
}[] = [
  { page: 'webdriverio.md', program: 'example.mjs', start: node('example.mjs') },
  { page: 'selenium-webdriver.md', program: 'example.mjs', start: node('example.mjs') },
  { page: 'selenium-webdriver.md', program: 'bidi.mjs', start: node('bidi.mjs'), bidi: true },
  { page: 'python.md', program: 'example.py', start: python, repeated: REPEATED.python },
  { page: 'java.md', program: 'src/main/java/Example.java', start: java, repeated: REPEATED.java },
];

function repeat(file: string, [command, loop]: readonly [RegExp, string]): void {
  const text = readFileSync(file, 'utf8');
  expect(text).toMatch(command);
  writeFileSync(file, text.replace(command, loop));
}

const pathOf = (page: string) => `docs/clients/${page}`;

describe.concurrent('the code on the pages, against a lab that checks every command', () => {
  test.for(PAGES)(
    '$page $program drives a session, past the end of its first token if it goes on (spec 5.4.1, 5.7.2, 5.3)',
    async ({ page: name, program, start, bidi = false, repeated }) => {
      const page = readPage(pathOf(name));
      const folder = runFolder(name.replace('.md', ''));
      page.writeTo(folder);
      if (repeated !== undefined) repeat(join(folder, program), repeated);
      const who = await tester(`${name}-${program}`.replace(/\W+/g, '-'));
      const { code, output } = await start(folder, {
        SVC_URL: lab.url,
        SVC_ACCESS_KEY: who.pair.accessKey,
        SVC_TOKEN: who.pair.token,
        SVC_AUDIENCE: 'svc-mcp',
      });
      expect(output.match(/^source: [1-9]\d*/gm)?.length ?? 0, output).toBeGreaterThan(
        repeated === undefined ? 0 : 5,
      );
      expect(code, output).toBe(0);
      if (bidi) expect(output).toMatch(/BiDi: true/);
      if (repeated !== undefined) expect(await bearersOf(who)).toBeGreaterThanOrEqual(3);
      expect(lab.output()).not.toContain(who.pair.token);
    },
  );

  test('the wdio.conf of webdriverio.md connects launcher and worker, and logs no secret (spec 5.4.1, 5.7.2)', async () => {
    const folder = runFolder('wdio');
    readPage(pathOf('webdriverio.md')).writeTo(folder);
    const script = fileURLToPath(new URL('./scripts/wdio-worker.mjs', import.meta.url));
    cpSync(script, join(folder, 'wdio-worker.mjs'));
    const { pair } = await tester('wdio-conf');
    const { code, output } = await run(process.execPath, ['wdio-worker.mjs', 'wdio.conf.js'], {
      cwd: folder,
      env: {
        SVC_URL: lab.url,
        SVC_ACCESS_KEY: pair.accessKey,
        SVC_TOKEN: pair.token,
        SVC_CAPABILITIES: JSON.stringify((await labInfo(lab.url)).capabilities),
      },
    });
    expect(output).toMatch(/^source: [1-9]/m);
    expect(code, output).toBe(0);
    expect(output).not.toContain(pair.token);
  });

  test('WebdriverIO and selenium-webdriver drive sessions past the end of their first tokens (spec 5.7.2, 5.3)', async () => {
    const who = await tester('renewed');
    const { capabilities } = await labInfo(lab.url);
    const client = new SvcClient({ url: lab.url, credential: who.pair });
    const audience = 'svc-mcp';
    const [device, driver, withBidi] = await Promise.all([
      webdriverioConnection(client, { audience }).then((to) =>
        remote({ ...to, logLevel: 'silent', capabilities }),
      ),
      createDriver(client, capabilities, { audience }),
      createDriver(client, { ...capabilities, webSocketUrl: true }, { audience }),
    ]);
    const bidi = await withBidi.getBidi();
    await bidi.waitForConnection();
    const end = Date.now() + 2 * TOKEN_SECONDS * 1000;
    do {
      const sources = [device, driver, withBidi].map((each) => each.getPageSource());
      for (const source of await Promise.all(sources)) expect(source.length).toBeGreaterThan(0);
      expect(await bidi.send({ method: 'session.status', params: {} })).toMatchObject({
        result: { ready: true },
      });
      await device.pause(500);
    } while (Date.now() < end);
    await Promise.all([device.deleteSession(), driver.quit(), withBidi.quit()]);
    expect(await bearersOf(who)).toBeGreaterThanOrEqual(6);
  });

  test('a client without the headers creates the same session, but no command reaches it (spec 5.7.10)', async () => {
    const { pair } = await tester('no-headers');
    const { url, basePath, capabilities } = await labInfo(lab.url);
    const created = await fetch(`${url}${basePath}/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        capabilities: withCredentials({ alwaysMatch: capabilities, firstMatch: [{}] }, pair),
      }),
    });
    expect(created.status).toBe(200);
    const { value } = (await created.json()) as { value: { sessionId: string } };
    const session = `${url}${basePath}/session/${value.sessionId}`;
    expect((await fetch(`${session}/source`)).status).toBe(404);
    expect((await fetch(`${session}/source`, { headers: pair.headers })).status).toBe(200);
    expect((await fetch(session, { method: 'DELETE', headers: pair.headers })).status).toBe(200);
  });

  test('WebdriverIO opens a later BiDi socket with the token of that moment (spec 5.7.7, 5.3)', async ({
    expect,
  }) => {
    const { pair } = await tester('bidi-renewed');
    const { capabilities } = await labInfo(lab.url);
    const client = new SvcClient({ url: lab.url, credential: pair });
    const headers = commandHeaders({ issue: () => client.issueBearer({ audience: 'svc-mcp' }) });
    const first = await headers.ready();
    const device = await remote({
      hostname: new URL(lab.url).hostname,
      port: Number(new URL(lab.url).port),
      path: '/',
      logLevel: 'silent',
      ...webdriverioOptions(headers),
      capabilities: withCredentials({ ...capabilities, webSocketUrl: true }, pair),
    });
    const meAsBefore = () => lab.api('/auth/me', { headers: first });
    await expect.poll(async () => (await meAsBefore()).status, { timeout: 20_000 }).toBe(401);
    const before = device.sessionId;
    await device.reloadSession();
    expect(device.sessionId).not.toBe(before);
    expect(await device.sessionStatus({})).toMatchObject({ ready: true });
    await device.deleteSession();
    headers.stop();
  });

  test('svc-proxy serves a client that sends neither headers nor capabilities of ours, and ends cleanly (spec 5.7.2, 5.7.7, contract 9)', async () => {
    const who = await tester('proxy');
    const proxy = runNode(createRequire(import.meta.url).resolve('@svc/client/bin/svc-proxy.js'), {
      args: ['--to', lab.url, '--port', '0', '--bearer', 'svc-mcp'],
      env: { SVC_ACCESS_KEY: who.pair.accessKey, SVC_TOKEN: who.pair.token },
    });
    const address = (await proxy.line(/^svc proxy ready on /)).split(' ')[4] as string;
    const { capabilities } = await labInfo(lab.url);
    const device = await remote({
      hostname: '127.0.0.1',
      port: Number(new URL(address).port),
      path: '/',
      logLevel: 'silent',
      capabilities: { ...capabilities, webSocketUrl: true },
    });
    expect(JSON.stringify(device.capabilities)).not.toContain(who.pair.token);
    const listed = await lab.api('/sessions', { headers: who.pair.headers });
    expect(await listed.json()).toMatchObject([{ id: device.sessionId, owner: { id: who.id } }]);
    expect(device.capabilities.webSocketUrl).toContain(new URL(address).host);
    const end = Date.now() + 2 * TOKEN_SECONDS * 1000;
    do {
      expect((await device.getPageSource()).length).toBeGreaterThan(0);
      expect(await device.sessionStatus({})).toMatchObject({ ready: true });
      await device.pause(500);
    } while (Date.now() < end);
    await device.deleteSession();
    const { code, tookMs } = await proxy.stop();
    expect(code).toBe(0);
    expect(tookMs).toBeLessThan(5_000);
    expect(await bearersOf(who)).toBeGreaterThanOrEqual(2);
    expect(lab.output()).not.toContain(who.pair.token);
    expect(proxy.output()).toBe(`svc proxy ready on ${address} for ${lab.url}\n`);
  });
});

describe('the pages themselves', () => {
  const names = [...new Set(PAGES.map(({ page }) => page))];

  test.for(names)('every program on %s is one that is run here (contract 9)', (name) => {
    const programs = readPage(pathOf(name)).blocks.filter(
      ({ language }) => !['sh', 'text'].includes(language),
    );
    expect(programs.length).toBeGreaterThan(0);
    for (const { file } of programs) expect(file).toBeDefined();
    const started = PAGES.filter(({ page }) => page === name).map(({ program }) => program);
    const files = programs.map(({ file }) => file as string);
    // `tests/lab/readme.slow.test.ts` runs the first test, which the README links to.
    expect(files.filter((file) => file.endsWith('.mjs') && file !== 'first-test.mjs')).toEqual(
      started.filter((file) => file.endsWith('.mjs')),
    );
    expect(files).toEqual(expect.arrayContaining(started));
  });

  test.for(['webdriverio', 'selenium-webdriver'])(
    'the page of %s installs what is tried (contract 9)',
    (name) => {
      const file = new URL('../package.json', import.meta.url);
      const { devDependencies } = JSON.parse(readFileSync(file, 'utf8'));
      expect(readPage(pathOf(`${name}.md`)).text).toContain(`npm install ${name}@${devDependencies[name]} `);
    },
  );
});
