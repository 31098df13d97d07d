import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Capabilities, WebDriver } from 'selenium-webdriver';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { remote } from 'webdriverio';
import { labInfo, type RunningServer, request, startLab } from '../support/lab.ts';
import { exchange } from '../support/raw-http.ts';
import { logOf, recordOf, until } from '../support/records.ts';
import { createSession, makePerson, type Person, pairOf, superAdmin } from '../support/sessions.ts';

/** Loaded with `require`, because an ES module cannot import this folder. */
const { Executor, HttpClient } = createRequire(import.meta.url)(
  'selenium-webdriver/http',
) as typeof import('selenium-webdriver/http', { with: { 'resolution-mode': 'require' }});

const canary = (what: string) => `canary-${what}-8c1f`;

let lab: RunningServer;
let ana: Person;

beforeAll(async () => {
  lab = await startLab({ env: { SVC_LAB_DEVICES: '8' } });
  ana = await makePerson(lab, await superAdmin(lab), 'ana@example.org');
});
afterAll(() => lab?.stop());

const newSession = async () => (await createSession(lab.url, pairOf(ana))).body.value.sessionId;

async function command(id: string, method: string, route: string, json?: unknown) {
  const answer = await request(`${lab.url}/session/${id}${route}`, {
    method,
    ...(json === undefined ? {} : { json }),
  });
  return { status: answer.status, value: ((await answer.json()) as { value: unknown }).value };
}

describe('the command log', () => {
  it('the command log has every command with body, answer, status and times, the end included (contract 2 /sessions)', async () => {
    const before = Date.now();
    const id = await newSession();
    await command(id, 'GET', '/orientation?secret=query');
    await command(id, 'POST', '/orientation', { orientation: 'LANDSCAPE' });
    await command(id, 'POST', '/orientation', { orientation: 'SIDEWAYS' });
    await command(id, 'GET', '/nowhere');
    await command(id, 'DELETE', '');
    const rows = await logOf(lab, ana.headers, id);
    const path = `/session/${id}`;
    expect(rows).toMatchObject([
      { seq: 1, method: 'GET', path: `${path}/orientation`, status: 200, response: { value: 'PORTRAIT' } },
      { method: 'POST', status: 200, body: { orientation: 'LANDSCAPE' }, response: { value: null } },
      { method: 'POST', status: 500, response: { value: { error: 'unknown error' } } },
      { method: 'GET', path: `${path}/nowhere`, status: 404, body: null },
      { seq: 5, method: 'DELETE', path, status: 200, body: null, response: { value: null } },
    ]);
    expect(rows).toMatchObject([
      { name: 'getOrientation', summary: '' },
      { name: 'setOrientation', summary: 'LANDSCAPE' },
      { name: 'setOrientation', error: { code: 'unknown error', message: expect.stringMatching(/./) } },
      { name: 'GET /nowhere', error: { code: 'unknown command' } },
      { name: 'deleteSession', summary: '' },
    ]);
    expect(rows.map(({ error }) => error !== undefined)).toEqual([false, false, true, true, false]);
    for (const { at, durationMs } of rows) {
      expect(Date.parse(at)).toBeGreaterThanOrEqual(before);
      expect(durationMs).toBeGreaterThanOrEqual(0);
    }
    const page = await lab.api(`/session/${id}/session_log?after=1&limit=2`, { headers: ana.headers });
    expect(((await page.json()) as { seq: number }[]).map(({ seq }) => seq)).toEqual([2, 3]);
  });

  it('the command log keeps no secret and nothing that was typed, in the answer and on disk (specification 5.5)', async () => {
    const id = await newSession();
    const found = (await command(id, 'POST', '/element', { using: 'id', value: 'search' })).value;
    const element = Object.values(found as Record<string, string>)[0];
    await command(id, 'POST', `/element/${element}/value`, { text: canary('typed') });
    await command(id, 'GET', `/element/${element}/attribute/value`);
    await command(id, 'POST', '/fakedriver', {
      thing: { token: canary('token'), url: `http://u:${canary('user')}@h/` },
    });
    await command(id, 'GET', '/fakedriver');
    await command(id, 'POST', '/execute/sync', {
      script: `x; Authorization: Bearer ${canary('bearer')}`,
      args: [],
    });
    await command(id, 'POST', '/execute/sync', {
      script: 'mobile: type',
      args: [{ text: canary('mobile') }],
    });
    await command(id, 'GET', '/source');
    await command(id, 'GET', '/screenshot');
    await command(id, 'POST', '/fakedriver', { thing: canary('big').repeat(20_000) });
    const rows = await logOf(lab, ana.headers, id);
    expect(rows).toHaveLength(10);
    expect(JSON.stringify(rows)).not.toContain('canary-');
    expect(rows[1]?.body).toEqual({ text: '**REDACTED**' });
    expect(rows[8]?.response).toMatch(/^\(\d+ bytes not kept\)$/);
    expect(rows[9]?.body).toBe(`(${canary('big').length * 20_000 + '{"thing":""}'.length} bytes not kept)`);
    await command(id, 'DELETE', '');
    const files = readdirSync(lab.dataDir, { recursive: true, withFileTypes: true });
    for (const { parentPath, name } of files.filter((each) => each.isFile())) {
      expect(readFileSync(join(parentPath, name), 'latin1'), name).not.toContain('canary-');
    }
  });

  it('the command log holds 2,000 commands of a session, the newest', async () => {
    const id = await newSession();
    const head = `GET /session/${id}/orientation HTTP/1.1\r\nHost: x\r\n`;
    const last = `${head}Connection: close\r\n\r\n`;
    await exchange(lab.url, Buffer.from(`${head}\r\n`.repeat(2_099).concat(last)));
    const rows = await logOf(lab, ana.headers, id);
    expect(rows.length).toBeLessThanOrEqual(2_000);
    expect(rows.length).toBeGreaterThan(1_800);
    expect(rows.at(-1)?.seq).toBe(2_100);
    await command(id, 'DELETE', '');
  });
});

describe('svc: commands', () => {
  const RECORDED = { recorded: true };

  async function wdio() {
    const { port } = new URL(lab.url);
    const { capabilities } = await labInfo(lab.url);
    return remote({
      hostname: '127.0.0.1',
      port: Number(port),
      path: '/',
      logLevel: 'silent',
      connectionRetryCount: 0,
      capabilities: { ...capabilities, 'svc:options': pairOf(ana) } as WebdriverIO.Capabilities,
    });
  }

  async function selenium() {
    const { capabilities } = await labInfo(lab.url);
    return WebDriver.createSession(
      new Executor(new HttpClient(lab.url)),
      new Capabilities({ browserName: '', ...capabilities, 'svc:options': pairOf(ana) }),
    );
  }

  it('name, status, tags and messages by WebdriverIO (contract 6.5)', async () => {
    const driver = await wdio();
    const own = (name: string, fields?: object) =>
      fields === undefined ? driver.execute(`svc: ${name}`) : driver.execute(`svc: ${name}`, fields);
    expect(await own('setSessionName', { name: ' checkout ' })).toEqual(RECORDED);
    expect(await own('addTag', { tag: 'smoke' })).toEqual(RECORDED);
    expect(await own('addTag', { tag: 'smoke' })).toEqual(RECORDED);
    expect(await own('addTag', { tag: 'nightly' })).toEqual(RECORDED);
    expect(await own('debug', { message: 'before the payment' })).toEqual(RECORDED);
    expect(await own('captureEvidence', { label: 'cart' })).toEqual({
      recorded: false,
      message: expect.any(String),
    });
    expect(await own('setSessionStatus', { status: 'failed', reason: 'total is wrong' })).toEqual(RECORDED);
    const rows = await logOf(lab, ana.headers, driver.sessionId);
    expect(JSON.stringify(rows)).toContain('before the payment');
    await driver.deleteSession();
    expect(await recordOf(lab, ana.headers, driver.sessionId)).toMatchObject({
      name: 'checkout',
      tags: ['smoke', 'nightly'],
      status: 'failed',
      failureReason: 'total is wrong',
      failureCategory: null,
    });
  });

  it('selenium-webdriver sends svc: commands, and an unknown one fails with `unknown command` (contract 6.5)', async () => {
    const driver = await selenium();
    const id = (await driver.getSession()).getId();
    expect(await driver.executeScript('svc: setSessionName', { name: 'login' })).toEqual(RECORDED);
    expect(await driver.executeScript('svc:setSessionStatus', { status: 'passed' })).toEqual(RECORDED);
    await expect(driver.executeScript('svc: makeCoffee', {})).rejects.toMatchObject({
      name: 'UnknownCommandError',
    });
    await driver.quit();
    expect(await recordOf(lab, ana.headers, id)).toMatchObject({ name: 'login', status: 'passed' });
  });

  it.each([
    ['setSessionName', [{}]],
    ['setSessionName', [{ name: 7 }]],
    ['setSessionName', [{ name: 'x'.repeat(257) }]],
    ['setSessionStatus', [{ status: 'great' }]],
    ['addTag', [{ tag: '   ' }]],
    ['addTag', ['smoke']],
    ['debug', [{ message: 'a' }, { message: 'b' }]],
  ])('%s with %j is answered as not recorded (contract 6.5)', async (name, args) => {
    const id = await newSession();
    expect(await command(id, 'POST', '/execute/sync', { script: `svc: ${name}`, args })).toEqual({
      status: 200,
      value: { recorded: false, message: expect.any(String) },
    });
    await command(id, 'DELETE', '');
  });

  it('any other script is the driver’s, however it begins (contract 6.5)', async () => {
    const id = await newSession();
    const run = (script: string) =>
      command(id, 'POST', '/execute/sync', { script, args: [{ num1: 1, num2: 2 }] });
    expect(await run('fake: addition')).toEqual({ status: 200, value: 3 });
    for (const script of [
      'svcs: setSessionName',
      'svc: for (;;) {}',
      'svc',
      'SVC: addTag',
      '"svc: addTag"',
    ]) {
      expect((await run(script)).value).not.toMatchObject({ message: 'svc: has no such command' });
    }
    expect((await run('svc: addition')).value).toMatchObject({ error: 'unknown command' });
    await command(id, 'DELETE', '');
    expect((await run('svc: setSessionName')).value).toMatchObject({ error: 'invalid session id' });
  });

  it('a svc: command keeps an idle session alive like any other', async () => {
    const created = await createSession(lab.url, pairOf(ana), {
      capabilities: { 'appium:newCommandTimeout': 3 },
    });
    const id = created.body.value.sessionId;
    const started = Date.parse((await recordOf(lab, ana.headers, id)).startedAt);
    const look = async () => {
      await command(id, 'POST', '/execute/sync', { script: 'svc: debug', args: [{ message: 'here' }] });
      return Date.now() - started;
    };
    await until(look, (passed) => passed > 3_500);
    expect(await recordOf(lab, ana.headers, id)).toMatchObject({ status: 'running' });
    await command(id, 'DELETE', '');
  });
});
