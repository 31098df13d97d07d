import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { picturesIn } from '../conformance/support/recorded-lab.ts';
import { startAppium } from '../support/appium.ts';
import { type KeyPair, makeToken, request, runNode } from '../support/lab.ts';
import { installExtensions } from '../support/npm-packages.ts';
import { pairOf, superAdmin } from '../support/sessions.ts';

const EXTENSIONS = ['appium-chromium-driver@3.1.1', '@appium/execute-driver-plugin@5.0.0'];
const CLIENT = fileURLToPath(new URL('support/bidi-client.mjs', import.meta.url));
const BROWSER = {
  platformName: 'linux',
  browserName: 'chrome',
  'appium:automationName': 'Chromium',
  'appium:executable': '/usr/bin/chromedriver',
  'goog:chromeOptions': {
    binary: '/usr/bin/chromium',
    args: ['--headless=new', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
  },
  webSocketUrl: true,
};

let appium: Awaited<ReturnType<typeof startAppium>>;
let root: KeyPair;
let id: string;

async function create(options: object = {}): Promise<string> {
  const alwaysMatch = { ...BROWSER, 'svc:options': { ...pairOf(root), ...options } };
  const created = await request(`${appium.url}/session`, {
    method: 'POST',
    json: { capabilities: { alwaysMatch, firstMatch: [{}] } },
  });
  const { value } = (await created.json()) as { value: { sessionId: string; message?: string } };
  expect(created.status, value.message).toBe(200);
  return value.sessionId;
}

beforeAll(async () => {
  const installed = installExtensions(EXTENSIONS);
  // No device is registered, so that the lab does not reserve one for a browser.
  const args = ['--relaxed-security'];
  const env = { SVC_REQUIRE_COMMAND_AUTH: 'true', SVC_DEVICES: '[]' };
  appium = await startAppium({ installed, plugins: ['execute-driver', 'svc'], args, env });
  root = await makeToken(appium.url, await superAdmin(appium));
  id = await create();
}, 180_000);
afterAll(async () => {
  if (id !== undefined) await command('', { method: 'DELETE' });
  await appium?.stop();
});

const command = (path: string, options: { method?: string; json?: object } = {}) =>
  request(`${appium.url}/session/${id}${path}`, { headers: root.headers, ...options });

it('a client that is killed with its BiDi socket to a browser open ends neither server nor session (contract 7)', async () => {
  const socket = `${appium.url.replace('http', 'ws')}/bidi/${id}`;
  const client = runNode(CLIENT, { args: [socket, JSON.stringify(root.headers)] });
  await client.line(/^received .*"result"/);
  await client.stop('SIGKILL');
  await appium.line(/Also closing BiDi proxy socket connection/);

  expect(await (await command('/url')).json()).toEqual({ value: 'about:blank' });
  // The session accepts a new socket.
  const again = runNode(CLIENT, { args: [socket, JSON.stringify(root.headers)] });
  await again.line(/^received .*"result"/);
  await again.stop('SIGKILL');
  expect(appium.child.exitCode).toBeNull();
}, 120_000);

it('a script of execute-driver drives a browser that has a BiDi socket as without svc (contract 7)', async () => {
  const script = `
    await driver.url('data:text/html,<p>a</p><p>b</p><p>c</p>');
    return (await driver.$$('p')).length;
  `;
  const answer = await command('/appium/execute_driver', {
    method: 'POST',
    json: { script, timeout: 60_000 },
  });
  expect(await answer.json()).toMatchObject({ value: { result: 3 } });
  expect(appium.output().match(/svc-callback\/[\w-]{20,}/g)).toBeNull();
}, 120_000);

it('a browser without a preview is recorded by its driver: evidence, the failure, and the report (contract 11)', async () => {
  // ChromeDriver has one port by default, so the other session ends first.
  await command('', { method: 'DELETE' });
  id = await create({ record: 'failures' });
  const post = async (path: string, json: object) =>
    ((await (await command(path, { method: 'POST', json })).json()) as { value: unknown }).value;
  const execute = (script: string, field: object) => post('/execute/sync', { script, args: [field] });
  await post('/url', { url: 'data:text/html,<body style="background:rgb(1,2,3)">' });
  expect(await execute('svc: captureEvidence', { label: 'dark' })).toEqual({ recorded: true });
  await post('/url', { url: 'data:text/html,<body style="background:rgb(250,251,252)">' });
  expect(await post('/element', { using: 'css selector', value: '#total' })).toMatchObject({
    error: 'no such element',
  });
  expect(await execute('svc: setSessionStatus', { status: 'failed', reason: 'no total' })).toEqual({
    recorded: true,
  });
  await command('', { method: 'DELETE' });

  const api = (path: string) => appium.api(`/session/${id}${path}`, { headers: root.headers });
  expect(await (await api('/recording')).json()).toMatchObject({
    state: 'complete',
    pictures: 2,
    deviceLogRows: 0,
    marks: [
      { kind: 'evidence', label: 'dark' },
      { kind: 'failure', label: 'no total' },
    ],
  });
  const chunk = Buffer.from(await (await api('/recording/chunks/0')).arrayBuffer());
  const [dark, bright] = picturesIn(chunk).map(({ type, content }) => ({ type, color: middleOf(content) }));
  expect([dark, bright]).toEqual([
    { type: 'image/png', color: [1, 2, 3] },
    { type: 'image/png', color: [250, 251, 252] },
  ]);
  const report = await (await api('/report')).text();
  expect(report.match(/data:image\/png;base64,/g)).toHaveLength(2);
  for (const text of ['no total', 'dark', '#total', 'no such element']) expect(report).toContain(text);
  expect(report).not.toContain(root.token);
}, 120_000);

/** The color in the middle of a PNG, as ffmpeg decodes it. */
function middleOf(png: Buffer): number[] {
  const args = '-v error -f png_pipe -i - -vf crop=1:1 -f rawvideo -pix_fmt rgb24 -'.split(' ');
  return [...spawnSync('ffmpeg', args, { input: png }).stdout];
}
