import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startAppium } from '../support/appium.ts';
import { makeToken, request, runNode } from '../support/lab.ts';
import { installExtensions } from '../support/npm-packages.ts';
import { pairOf, superAdmin } from '../support/sessions.ts';

const DRIVER = 'appium-chromium-driver';
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

beforeAll(async () => {
  const installed = installExtensions([`${DRIVER}@3.1.1`]);
  // No device is registered, so that the lab has none to reserve for a browser.
  const args = ['--plugin-svc-virtual-devices', '0'];
  appium = await startAppium({ installed, args, env: { SVC_REQUIRE_COMMAND_AUTH: 'true' } });
}, 180_000);
afterAll(() => appium?.stop());

it('(contract 7) a client that is killed with its BiDi socket to a browser open ends neither server nor session', async () => {
  const root = await makeToken(appium.url, await superAdmin(appium));
  const { headers } = root;
  const alwaysMatch = { ...BROWSER, 'svc:options': pairOf(root) };
  const created = await request(`${appium.url}/session`, {
    method: 'POST',
    json: { capabilities: { alwaysMatch, firstMatch: [{}] } },
  });
  const { value } = (await created.json()) as { value: { sessionId: string; message?: string } };
  expect(created.status, value.message).toBe(200);

  const socket = `${appium.url.replace('http', 'ws')}/bidi/${value.sessionId}`;
  const client = runNode(CLIENT, { args: [socket, JSON.stringify(headers)] });
  await client.line(/^received .*"result"/);
  await client.stop('SIGKILL');
  await appium.line(/Also closing BiDi proxy socket connection/);

  const command = (path: string, method = 'GET') =>
    request(`${appium.url}/session/${value.sessionId}${path}`, { method, headers });
  expect(await (await command('/url')).json()).toEqual({ value: 'about:blank' });
  // The session takes a new socket.
  const again = runNode(CLIENT, { args: [socket, JSON.stringify(headers)] });
  await again.line(/^received .*"result"/);
  await again.stop('SIGKILL');
  expect((await command('', 'DELETE')).status).toBe(200);
  expect(appium.child.exitCode).toBeNull();
}, 120_000);
