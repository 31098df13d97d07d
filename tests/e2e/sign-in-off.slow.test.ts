import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningServer, startLab } from '../support/lab.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { useBrowser } from './support/browser.ts';
import { expectAccessible, expectDialogsFocus, expectWholeWords, inspect } from './support/inspect.ts';
import { PAGE_TITLES } from './support/page-list.ts';
import { row, toasted } from './support/people.ts';

/** For each page, a text that appears once the content is loaded. */
const SHOWN: Readonly<Record<keyof typeof PAGE_TITLES, string | RegExp>> = {
  devices: 'virtual-1',
  sessions: 'No sessions yet',
  apps: 'No apps yet',
  leases: 'No leases',
  agents: 'No agents',
  profile: 'No tokens yet',
  users: 'admin@svc.local',
  teams: 'No teams yet',
  'api-keys': 'No keys yet',
  workloads: 'No CI jobs yet',
  nodes: 'No nodes yet',
  audit: 'Verify chain',
  'command-check': 'Request id',
  settings: 'Maximum number of sessions',
  access: '/auth',
  'api-reference': /^\d+ routes$/,
};
const PAGES = Object.keys(PAGE_TITLES) as (keyof typeof PAGE_TITLES)[];

const browsers = useBrowser();
let lab: RunningServer;
let receiver: Receiver;

beforeAll(async () => {
  receiver = await startReceiver();
  lab = await startLab({
    env: { SVC_AUTH_DISABLED: 'true', SVC_LAB_LOG_LEVEL: 'error', SVC_WEBHOOK_ALLOW: '127.0.0.1' },
  });
});
afterAll(async () => {
  await receiver?.close();
  await lab?.stop();
});

async function open(path: string): Promise<Page> {
  const page = await browsers.page({ baseURL: lab.url });
  await page.goto(`/svc/${path}`);
  return page;
}

describe('a lab with sign-in off', () => {
  it.for(PAGES)('the page %s opens for everybody, and says it (specification 5.12)', async (path) => {
    const page = await open(path);
    await page.getByRole('heading', { level: 1, name: PAGE_TITLES[path], exact: true }).waitFor();
    await page.getByText('Sign-in is off: everyone who can reach this server').waitFor();
    await page.locator('main').getByText(SHOWN[path]).first().waitFor();
    await expectAccessible(page);
    expect(await page.title()).toBe(`${PAGE_TITLES[path]} · Device lab`);
    await expectWholeWords(page);
    await expectDialogsFocus(page);
  });

  it('settings are saved (specification 5.12, contract 2 /config)', async () => {
    const page = await open('settings');
    await page.getByLabel('Maximum number of sessions').fill('7');
    await page.getByRole('button', { name: 'Save' }).click();
    await toasted(page, 'The settings were saved');
    await page.reload();
    await expect.poll(() => page.getByLabel('Maximum number of sessions').inputValue()).toBe('7');
    // Without sign-in, no user has a password of their own to change.
    expect(await page.getByRole('link', { name: 'Change it now' }).count()).toBe(0);
    await inspect(page, 'settings-sign-in-off');
  });

  it('a webhook is added, tested and deleted (specification 5.12, contract 2 /webhook)', async () => {
    const page = await open('settings?tab=webhooks');
    await page.getByRole('button', { name: 'New webhook' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Address').fill(`${receiver.url}/hook`);
    await dialog.getByLabel('device_new').check();
    await dialog.getByRole('button', { name: 'New webhook' }).click();
    await dialog.locator('.secret-once code').waitFor();
    await dialog.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('button', { name: /^Send a test: / }).click();
    await receiver.until((received) => received.length === 1);
    await page.getByRole('button', { name: /^Delete the webhook/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No webhooks yet').waitFor();
  });

  it('a key is made with its secret shown once, and revoked (specification 5.12, contract 2 /apikeys)', async () => {
    const page = await open('api-keys');
    await page.getByRole('button', { name: 'New API key' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('of nobody');
    await dialog.getByLabel('sessions', { exact: true }).uncheck();
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'New API key' }).click();
    const secret = (await dialog.locator('.secret-once code').textContent()) ?? '';
    expect(secret).toMatch(/^svct_/);
    await inspect(page, 'api-key-made');
    await dialog.getByRole('button', { name: 'Done' }).click();
    expect(await (await row(page, 'API keys', 'of nobody')).textContent()).toContain('read');
    await expectWholeWords(page);
    expect(await page.content()).not.toContain(secret);
    await page.getByRole('button', { name: /^Revoke / }).click();
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Revoke/ })
      .click();
    await toasted(page, 'of nobody');
  });

  it('a phone is watched, and its log is read (specification 5.12, 5.8.3)', async () => {
    const page = await open('devices?udid=virtual-1');
    await page.locator('.preview[data-state="shown"]').waitFor();
    await page.locator('.device-log').getByText(/tick/).first().waitFor();
    await inspect(page, 'device-sign-in-off');
  });
});
