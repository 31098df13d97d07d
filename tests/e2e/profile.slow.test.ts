import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeUser, type RunningServer, request, signIn, startLab } from '../support/lab.ts';
import { useBrowser } from './support/browser.ts';
import { inspect } from './support/inspect.ts';

const browsers = useBrowser();
const HERE = fileURLToPath(new URL('.', import.meta.url));

let lab: RunningServer;
let root: string;
beforeAll(async () => {
  lab = await startLab({
    env: {
      SVC_REQUIRE_COMMAND_AUTH: 'true',
      SVC_LAB_LOG_LEVEL: 'error',
      SVC_LOGIN_RATE_LIMIT_ATTEMPTS: '1000',
    },
  });
  root = await signIn(lab.url);
});
afterAll(() => lab.stop());

let users = 0;
async function memberAt(
  path: string,
  refusals: readonly number[] = [],
): Promise<{ page: Page; email: string; password: string }> {
  users += 1;
  const { cookie, email, password } = await makeUser(lab.url, root, { email: `member-${users}@lab.test` });
  const page = await browsers.page({ baseURL: lab.url, cookie, refusals });
  await page.goto(path);
  return { page, email, password };
}

/** @returns the text of a code block in the dialog */
const code = async (page: Page, label: string) =>
  (await page.locator('figure', { hasText: label }).locator('pre').textContent()) ?? '';

it('a token is made with 30 days by default, its secret shown once, and the snippet runs (specification 2, Token, 5.2.4)', async () => {
  const { page } = await memberAt('/svc/profile');
  await page.getByText('No tokens yet').waitFor();
  await inspect(page, 'profile');
  await page.getByRole('button', { name: 'New token' }).click();
  await page.getByLabel('Description').fill('my <b>laptop</b>');
  const expiry = page.getByLabel('Expires after');
  expect(await expiry.locator('option').allInnerTexts()).toEqual([
    '7 days',
    '30 days',
    '90 days',
    '1 year',
    'No expiry',
  ]);
  expect(await expiry.inputValue()).toBe('30');
  await page.getByRole('dialog').getByRole('button', { name: 'New token' }).click();

  await page.getByRole('heading', { name: 'Your new token' }).waitFor();
  await page.getByText('export SVC_TOKEN').waitFor();
  const exports = await code(page, 'In the terminal');
  const secret = /svct_\w+/.exec(exports)?.[0] as string;
  await page.keyboard.press('Escape');
  await inspect(page, 'profile-new-token');

  const program = await code(page, 'WebdriverIO');
  await page.getByRole('tab', { name: 'WebdriverIO' }).press('End');
  expect(await page.getByRole('tab', { selected: true }).textContent()).toBe('CI secret');
  await page.getByRole('tab', { name: 'curl' }).click();
  const curl = await code(page, 'curl');
  const run = (commands: string) =>
    execFileSync('sh', ['-c', `${exports}\n${commands}`], { encoding: 'utf8' });
  expect(JSON.parse(run(curl))).toMatchObject({ kind: 'key', scopes: ['read', 'sessions'] });
  const file = `${HERE}snippet-of-test.mjs`;
  writeFileSync(file, program);
  try {
    expect(Number(run(`'${process.execPath}' '${file}'`))).toBeGreaterThan(0);
  } finally {
    execFileSync('rm', [file]);
  }

  await page.getByRole('button', { name: 'I have copied it' }).click();
  const row = page.getByRole('row', { name: /my <b>laptop<\/b>/ });
  await row.waitFor();
  expect(await page.content()).not.toContain(secret);
  await inspect(page, 'profile-tokens');

  await row.getByRole('button', { name: 'Revoke' }).click();
  await inspect(page, 'profile-revoke-token');
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
  await page.getByText('No tokens yet').waitFor();
  expect(() => run(curl)).toThrow();
});

it('the access key is replaced after a question, and the new one is shown (specification 2, Access key)', async () => {
  const { page } = await memberAt('/svc/profile');
  const key = page.locator('.panel', { hasText: 'Access key' }).locator('code');
  const before = await key.textContent();
  await page.getByRole('button', { name: 'Replace' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  expect(await key.textContent()).toBe(before);
  await page.getByRole('button', { name: 'Replace' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Replace' }).click();
  await page.getByText('The access key is replaced.').waitFor();
  expect(await key.textContent()).toMatch(/^svc_\w{24}$/);
  expect(await key.textContent()).not.toBe(before);
});

it('a browser that is signed out from another one closes at once, and so does one after a password change (specification 6)', async () => {
  const { page, email, password } = await memberAt('/svc/profile');
  const elsewhere = async () => {
    const cookie = await signIn(lab.url, email, password);
    const other = await browsers.page({ baseURL: lab.url, cookie, refusals: [401] });
    await other.goto('/svc/api-reference');
    await other.getByRole('heading', { name: 'API reference' }).first().waitFor();
    return other;
  };
  const second = await elsewhere();
  await page.reload();
  const rows = page.locator('.panel', { hasText: 'Sign-ins' }).getByRole('row');
  await expect.poll(() => rows.count()).toBe(3);
  await rows.filter({ hasNotText: 'this one' }).getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click();
  await second.waitForURL('**/svc/sign-in?from=api-reference');

  const third = await elsewhere();
  await page.getByLabel('Current password', { exact: true }).fill(password);
  await page.getByLabel('New password', { exact: true }).fill('quite another one');
  await page.getByLabel('New password again', { exact: true }).fill('quite another one');
  await page.getByRole('button', { name: 'Change password' }).click();
  await page.getByText('Your password is changed.').waitFor();
  await third.waitForURL('**/svc/sign-in?from=api-reference');
});

it('the well-known password is told of on every page until it is changed (contract 5)', async () => {
  const page = await browsers.page({ baseURL: lab.url, cookie: root });
  await page.goto('/svc/devices');
  await page.getByText('You are still using the default password.').waitFor();
  await page.getByRole('link', { name: 'Change it now' }).click();
  await page.waitForURL('**/svc/profile#password');
  await expect.poll(() => page.evaluate('document.activeElement.name')).toBe('oldPassword');
});

it('sign-out, theme and version are in the account menu; the theme is kept (specification 9.1.2)', async () => {
  const { page } = await memberAt('/svc/profile');
  await page.getByRole('button', { name: /^Account of/ }).click();
  await page.getByText(/^Version \d+\.\d+/).waitFor();
  await inspect(page, 'account-menu');
  await page.locator('.menu-panel').getByText('Dark').click();
  await page.reload();
  expect(await page.evaluate('document.documentElement.dataset.theme')).toBe('dark');
  expect(await page.evaluate('getComputedStyle(document.body).colorScheme')).toBe('dark');
  await page.getByRole('button', { name: /^Account of/ }).click();
  await page.locator('.menu-panel').getByRole('button', { name: 'Sign out' }).click();
  await page.waitForURL('**/svc/sign-in');
});

it('a page for another role says so, and shows nothing', async () => {
  const { page } = await memberAt('/svc/users');
  await page.getByText('Your role does not allow this page').waitFor();
  expect(await page.getByRole('link', { name: 'Users' }).count()).toBe(0);
  await inspect(page, 'not-for-you');
});

it('a lost line is told of, and comes back by itself', async () => {
  const { page } = await memberAt('/svc/profile', [503]);
  const word = page.getByText('The connection to the server is lost.');
  await page.getByText('No tokens yet').waitFor();
  expect(await word.count()).toBe(0);
  await page.route('**/events/ticket', (route) =>
    route.fulfill({ status: 503, json: { error: 'unavailable' } }),
  );
  await page.reload();
  await word.waitFor();
  await page.unroute('**/events/ticket');
  await word.waitFor({ state: 'detached' });
});

it('the address of the lab and unknown ones have a page too (contract 1)', async () => {
  const page = await browsers.page({ refusals: [404] });
  await page.goto(`${lab.url}/`);
  await inspect(page, 'home');
  await page.goto(`${lab.url}/svc/no/such/page`);
  await inspect(page, 'not-found');
  expect((await request(`${lab.url}/svc/no/such/page`, { headers: { accept: 'text/html' } })).status).toBe(
    404,
  );
});
