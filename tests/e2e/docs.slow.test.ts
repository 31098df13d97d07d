import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeUser, type RunningServer, signIn, startLab } from '../support/lab.ts';
import { useBrowser } from './support/browser.ts';
import { inspect } from './support/inspect.ts';
import { startPrefixProxy } from './support/prefix-proxy.ts';

const browsers = useBrowser();

let lab: RunningServer;
let root: string;
beforeAll(async () => {
  lab = await startLab({ env: { SVC_LAB_LOG_LEVEL: 'error' } });
  root = await signIn(lab.url);
});
afterAll(() => lab.stop());

it('the account menu leads to the documentation, whose pages fit every screen and pass axe (contract 1)', async () => {
  const { cookie } = await makeUser(lab.url, root, { email: 'reader@lab.test' });
  const page = await browsers.page({ baseURL: lab.url, cookie });
  await page.goto('/svc/profile');
  await page.getByRole('button', { name: /Account of/ }).click();
  await page.getByRole('link', { name: 'Help' }).click();
  await page.getByRole('heading', { level: 1, name: 'Documentation' }).waitFor();
  await inspect(page, 'docs-index');
  for (const address of ['guides/ci', 'operations/settings', 'security', 'overview', 'guides/webhooks']) {
    await page.goto(`/svc/docs/${address}.html`);
    await inspect(page, `docs-${address.replace('/', '-')}`);
  }
});

it('the search of the documentation works below a proxy, with the keyboard alone, and asks no other server (contract 1)', async () => {
  const page = await browsers.page();
  const asked = new Set<string>();
  page.on('request', (request) => asked.add(new URL(request.url()).origin));
  const tools = await startPrefixProxy(lab.url);
  await page.goto(`${tools}/svc/docs`);
  await page.keyboard.press('/');
  await page.keyboard.type('SVC_PUBLIC_URL');
  await page.getByRole('status').filter({ hasText: 'results' }).waitFor();
  await inspect(page, 'docs-search');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/tools/svc/docs/operations/settings.html#svc_public_url');
  await page.keyboard.press('/');
  await page.keyboard.type('<img src=x onerror=alert(1)>');
  await page.getByRole('status').waitFor();
  expect(await page.locator('#found img').count()).toBe(0);
  await page.keyboard.press('Escape');
  expect(await page.locator('#found').isVisible()).toBe(false);
  await page.getByRole('link', { name: 'Dashboard' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  expect([...asked]).toEqual([new URL(tools).origin]);
});
