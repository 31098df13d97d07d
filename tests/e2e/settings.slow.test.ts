import { afterAll, beforeAll, expect, it } from 'vitest';
import { type RunningServer, signIn, startLab } from '../support/lab.ts';
import { useBrowser } from './support/browser.ts';
import { inspect } from './support/inspect.ts';

const browsers = useBrowser();
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

let lab: RunningServer;
let root: string;
beforeAll(async () => {
  lab = await startLab({
    env: { SVC_LAB_LOG_LEVEL: 'error', SVC_METRICS_TOKEN: 'canary-of-the-metrics', SVC_QUEUE_SECONDS: '30' },
  });
  root = await signIn(lab.url);
});
afterAll(() => lab.stop());

it('the page of settings lists what the server was started with, and keeps secrets to the server (contract 2, /config)', async () => {
  const page = await browsers.page({ baseURL: lab.url, cookie: root });
  await page.goto('/svc/settings');
  const table = page.getByRole('table', { name: 'Settings at start' });
  await table.getByRole('row', { name: /SVC_QUEUE_SECONDS 30 Environment/ }).waitFor();
  await table.getByRole('row', { name: /SVC_METRICS_TOKEN set Environment/ }).waitFor();
  expect(await page.content()).not.toContain('canary');
  await inspect(page, 'settings-server');
});

it('every page shows the name and the logo of the lab, also to people who are not signed in (contract 2, /config)', async () => {
  const page = await browsers.page({ baseURL: lab.url, cookie: root });
  await page.goto('/svc/settings');
  const brand = page.locator('.brand');
  await page.getByLabel('Name of the lab').fill('Basement <b>lab</b>');
  await page.getByRole('button', { name: 'Save' }).click();
  await brand.getByText('Basement <b>lab</b>').waitFor();
  await page
    .locator('input[type=file]')
    .setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer: PNG });
  await page.locator('.brand img[src*="lab-logo?v="]').waitFor();
  await inspect(page, 'settings-brand');
  await page.goto('/svc/devices');
  await page.locator('.brand img[src*="lab-logo?v="]').waitFor();
  expect(await page.title()).toBe('Phones · Basement <b>lab</b>');

  const stranger = await browsers.page({ baseURL: lab.url });
  await stranger.goto('/svc/sign-in');
  await stranger.getByText('Basement <b>lab</b>').waitFor();
  await stranger.locator('.single-task-head img[src*="lab-logo?v="]').waitFor();
});
