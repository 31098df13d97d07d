import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type RunningServer, signIn, startLab } from '../support/lab.ts';
import { makePerson, type Person } from '../support/sessions.ts';
import { type PageOptions, useBrowser } from './support/browser.ts';
import { inspect } from './support/inspect.ts';

const PHONES = 20;

const browsers = useBrowser();
let lab: RunningServer;
let ana: Person;
let bob: Person;

beforeAll(async () => {
  lab = await startLab({
    env: {
      SVC_LAB_LOG_LEVEL: 'error',
      SVC_LOGIN_RATE_LIMIT_ATTEMPTS: '1000',
      SVC_LAB_DEVICES: `${PHONES}`,
    },
  });
  const root = await signIn(lab.url);
  ana = await makePerson(lab, root, 'ana@lab.test');
  bob = await makePerson(lab, root, 'bob@lab.test');
});
afterAll(() => lab?.stop());

/** Opens the page of the phones, whose first steps are folded. */
async function openDevices(person: Person, options: PageOptions = {}): Promise<Page> {
  const page = await browsers.page({ baseURL: lab.url, cookie: person.cookie, ...options });
  await page.goto('/svc/devices');
  await page
    .locator('[data-udid]')
    .nth(PHONES - 1)
    .waitFor();
  return page;
}

const line = (page: Page, udid: string) => page.locator(`[data-udid="${udid}"]`);

it('20 phones are on one screen of 1280 × 800 px, each with its state and one action (contract 2 /devices)', async () => {
  const page = await openDevices(ana);
  const last = await page.locator('[data-udid]').last().boundingBox();
  expect((last?.y ?? Number.POSITIVE_INFINITY) + (last?.height ?? 0)).toBeLessThanOrEqual(800);
  expect(await page.locator('.device-row .device-action .button').count()).toBe(PHONES);
  await page.getByRole('button', { name: '20 free' }).waitFor();
  await inspect(page, 'devices-list');
});

it('a phone is leased from its line, moves to the top and is controlled from there (contract 2 /leases)', async () => {
  const page = await openDevices(ana);
  const others = await openDevices(bob);
  await page.getByRole('button', { name: 'Lease Virtual phone 12', exact: true }).focus();
  await page.keyboard.press('Enter');
  await page.getByText('Virtual phone 12 is leased to you for 1 hour.').waitFor();
  const control = page.getByRole('link', { name: 'Control Virtual phone 12' });
  await expect.poll(() => control.evaluate((link) => link.matches(':focus'))).toBe(true);
  expect(await page.locator('[data-udid]').first().getAttribute('data-udid')).toBe('virtual-12');
  await line(others, 'virtual-12').getByText('Leased to ana@lab.test').waitFor();
  await others.getByRole('button', { name: '1 leased' }).click();
  await expect.poll(() => others.locator('[data-udid]').count()).toBe(1);
  expect(new URL(others.url()).search).toBe('?status=leased');
  await others.getByRole('button', { name: 'Watch Virtual phone 12' }).click();
  await line(others, 'virtual-12').locator('.preview[data-state="shown"]').waitFor();
  await inspect(others, 'devices-list-watched');
  await others.getByLabel('Search name').fill('nothing like it');
  await others.getByText('No phone matches').waitFor();
  await others.getByRole('button', { name: 'Clear filters' }).click();
  await expect.poll(() => others.locator('[data-udid]').count()).toBe(PHONES);
  expect(await others.getByLabel('Search name').inputValue()).toBe('');
  await control.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Virtual phone 12' }).waitFor();
});

it('a phone that another user takes first is not leased, and the page says why (contract 2 /leases)', async () => {
  const page = await openDevices(ana, { refusals: [409] });
  // The request is held until another user has leased the phone.
  await page.route('**/api/leases', async (route) => {
    if (route.request().method() === 'POST') {
      const first = await lab.api('/leases', {
        method: 'POST',
        headers: { cookie: bob.cookie },
        json: { udid: 'virtual-7', minutes: 15 },
      });
      expect(first.status).toBe(201);
    }
    await route.continue();
  });
  await page.getByRole('button', { name: 'Lease Virtual phone 7', exact: true }).click();
  await page.getByText('Virtual phone 7 was not leased.').waitFor();
  await line(page, 'virtual-7').getByText('Leased to bob@lab.test').waitFor();
});

it('the chosen view is kept in the browser', async () => {
  const page = await openDevices(ana);
  await page.getByRole('button', { name: 'Grid', exact: true }).click();
  await page.locator('.device-card').first().waitFor();
  await page.reload();
  await page
    .locator('.device-card')
    .nth(PHONES - 1)
    .waitFor();
  await inspect(page, 'devices-grid');
  await page.getByRole('button', { name: 'List', exact: true }).click();
  await expect.poll(() => page.locator('.device-row').count()).toBe(PHONES);
});
