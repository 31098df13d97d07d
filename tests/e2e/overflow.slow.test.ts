import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { World } from '../conformance/support/world.ts';
import { request, startLab } from '../support/lab.ts';
import { createSession } from '../support/sessions.ts';
import { useBrowser } from './support/browser.ts';
import { PAGE_TITLES } from './support/page-list.ts';
import { openAs } from './support/people.ts';

const WIDTHS = [1280, 1366, 390];
const LONG = 'a-person-with-a-rather-long-name@quality-engineering.example.com';

const browsers = useBrowser();
let world: World;
let session: string;

/** Fills the lab with records whose names are as long as real ones are. */
beforeAll(async () => {
  world = await World.start(startLab, { SVC_LAB_DEVICES: '12', SVC_COMMAND_AUTH_REPORT_ONLY: 'true' });
  const { root } = world;
  const team = await world.ok('POST', '/teams', {
    as: root.as,
    json: { name: 'Release engineering and end-to-end quality' },
  });
  await world.ok('POST', '/users', {
    as: root.as,
    json: { email: LONG, name: 'A Person with a Rather Long Name', role: 'Admin', teamIds: [team.id] },
  });
  await world.ok('POST', '/apikeys', {
    as: root.as,
    json: {
      name: 'nightly runs of the shop app on every phone',
      scopes: ['read', 'sessions', 'devices'],
      teamId: team.id,
      expiresAt: new Date(Date.now() + 10 * 86_400_000).toISOString(),
    },
  });
  await world.ok('POST', '/leases', { as: root.as, json: { udid: 'virtual-2', minutes: 30 } });
  session = (await createSession(world.url, undefined)).body.value.sessionId;
  const post = (path: string, json: object) =>
    request(`${world.url}/session/${session}${path}`, { method: 'POST', json });
  await post('/execute/sync', {
    script: 'svc: setSessionName',
    args: [{ name: 'Payment with a stored card, a voucher and an address abroad' }],
  });
  await post('/execute/sync', { script: 'svc: addTag', args: [{ tag: 'a-tag-that-is-quite-long' }] });
  await post('/execute/sync', {
    script: 'svc: setSessionStatus',
    args: [{ status: 'failed', reason: `expected ${'the total of the order '.repeat(20)}` }],
  });
});
afterAll(() => world.server.stop());

/** What is wider than its place: the page itself, and tables that would have to be scrolled. */
const STICKING_OUT = `[
  ...(document.documentElement.scrollWidth > innerWidth ? ['the page'] : []),
  ...[...document.querySelectorAll('.table-box')]
    .filter((box) => box.scrollWidth > box.clientWidth + 1)
    .map((box) => 'the table ' + box.querySelector('table').getAttribute('aria-label')),
  ...[...document.querySelectorAll('.table-actions .button')]
    .filter((button) => {
      const { right } = button.getBoundingClientRect();
      return right > innerWidth;
    })
    .map((button) => 'the button ' + button.textContent),
]`;

async function expectFits(page: Page, what: string): Promise<void> {
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 800 });
    expect(await page.evaluate(STICKING_OUT), `${what} at ${width} px`).toEqual([]);
  }
}

it('no page and no table is wider than a screen of 1280, 1366 or 390 px (contract 1)', async () => {
  const page = await openAs(browsers, world, world.root.as, 'devices');
  for (const path of Object.keys(PAGE_TITLES)) {
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.goto(`/svc/${path}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.waitForLoadState('networkidle');
    await expectFits(page, path);
  }
});

it.each(['devices?udid=virtual-2', 'devices?use=week', 'devices?use=match'])(
  'the page %s is not wider than a screen of 1280, 1366 or 390 px (contract 1)',
  async (path) => {
    const page = await openAs(browsers, world, world.root.as, path);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await expect.poll(() => page.locator('.state-loading').count()).toBe(0);
    await expectFits(page, path);
  },
);

it('the page of a failed session is not wider than a screen of 1280, 1366 or 390 px (contract 1)', async () => {
  const page = await openAs(browsers, world, world.root.as, `sessions?id=${session}`);
  await page.getByRole('heading', { level: 1, name: /^Payment with/ }).waitFor();
  await expectFits(page, 'session');
});

it('six users fit on a screen of 390 px, and each value keeps its name for screen readers (contract 1)', async () => {
  const page = await openAs(browsers, world, world.root.as, 'users', {
    viewport: { width: 390, height: 844 },
  });
  const row = page.getByRole('row', { name: world.root.email });
  await row.waitFor();
  expect((await row.boundingBox())?.height).toBeLessThan(844 / 6);
  for (const name of [/^Person /, /^Role Super admin$/, /^Status Active$/, /^Teams none$/, /^Actions Edit /])
    await expect.poll(() => row.getByRole('cell', { name }).count(), { message: `${name}` }).toBe(1);
});

it('lists are sorted by their headers and filtered, and a link shows the same rows (contract 2)', async () => {
  const page = await openAs(browsers, world, world.root.as, 'users');
  const table = page.getByRole('table', { name: 'Users' });
  await table.getByText(LONG, { exact: false }).waitFor();
  const person = table.getByRole('columnheader', { name: 'Person', exact: true });
  const names = () =>
    table.locator('tbody tr td:first-child .two-lines > span:first-child').allTextContents();
  await person.getByRole('button').click();
  const ascending = await names();
  expect(await table.getByRole('columnheader', { name: 'Person' }).getAttribute('aria-sort')).toBe(
    'ascending',
  );
  await person.getByRole('button').click();
  expect(await names()).toEqual(ascending.toReversed());
  await page.getByLabel('Role', { exact: true }).selectOption('Admin');
  await expect.poll(() => table.locator('tbody tr').count()).toBe(1);
  expect(new URL(page.url()).search).toBe('?role=Admin');

  await page.goto('/svc/api-keys?end=soon&use=never');
  const keys = page.getByRole('table', { name: 'API keys and tokens' });
  await keys.getByText('nightly runs of the shop app on every phone').waitFor();
  expect(await keys.locator('tbody tr').count()).toBe(1);
  expect(await page.getByLabel('End', { exact: true }).inputValue()).toBe('soon');

  await page.goto('/svc/sessions');
  await page.getByText('More filters').click();
  await page.getByLabel('Whole tag').fill('a-tag-that-is-quite-long');
  await expect.poll(() => new URL(page.url()).search).toBe('?tag=a-tag-that-is-quite-long');
  await page.getByRole('link', { name: /^Payment with/ }).waitFor();
  await page.getByLabel('Until', { exact: true }).fill('2020-01-01');
  await page.getByText('No session matches').waitFor();
});

it('the key / finds phones, sessions, people and pages from everywhere (contract 1)', async () => {
  const page = await openAs(browsers, world, world.root.as, 'audit');
  await page.getByRole('heading', { level: 1, name: 'Audit' }).waitFor();
  const dialog = page.getByRole('dialog', { name: 'Search the lab' });
  // The page can show its heading a moment before it listens to keys.
  await expect
    .poll(async () => {
      await page.keyboard.press('/');
      return await dialog.isVisible();
    })
    .toBe(true);
  await dialog.getByRole('searchbox').fill('payment');
  await dialog.getByRole('link', { name: /^Payment with/ }).waitFor();
  await dialog.getByRole('searchbox').fill('virtual-12');
  await dialog.getByRole('link', { name: /^Virtual phone 12/ }).waitFor();
  await dialog.getByRole('searchbox').fill('rather-long');
  await dialog.getByRole('link', { name: /^A Person with/ }).waitFor();
  await dialog.getByRole('searchbox').fill('permis');
  await dialog.getByRole('link', { name: 'Permissions' }).waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Permissions' }).waitFor();
});
