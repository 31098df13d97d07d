import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeToken, type RunningServer, signIn, startLab } from '../support/lab.ts';
import { createSession, makePerson, type Person, pairOf } from '../support/sessions.ts';
import { useBrowser } from './support/browser.ts';
import { inspect } from './support/inspect.ts';

const browsers = useBrowser();
let lab: RunningServer;
let root: string;
let ana: Person;
let bob: Person;

beforeAll(async () => {
  lab = await startLab({
    env: { SVC_LAB_LOG_LEVEL: 'error', SVC_LOGIN_RATE_LIMIT_ATTEMPTS: '1000', SVC_LAB_DEVICES: '4' },
  });
  root = await signIn(lab.url);
  ana = await makePerson(lab, root, 'ana@lab.test');
  bob = await makePerson(lab, root, 'bob@lab.test');
});
afterAll(() => lab?.stop());

async function open(path: string, cookie: string): Promise<Page> {
  const page = await browsers.page({ baseURL: lab.url, cookie });
  await page.goto(path);
  return page;
}

async function api(method: string, path: string, json?: unknown, cookie = root) {
  const answer = await lab.api(path, {
    method,
    headers: { cookie },
    ...(json === undefined ? {} : { json }),
  });
  const text = await answer.text();
  return text === '' ? undefined : JSON.parse(text);
}

const badge = (page: Page, udid: string) => page.locator(`[data-udid="${udid}"] header .badge`);
const start = async (person: Person, udid: string) =>
  (await createSession(lab.url, pairOf(person), { capabilities: { 'appium:udid': udid } })).body.value
    .sessionId;

/** The requests for phones that a page sends from now on. */
function requestsOf(page: Page): string[] {
  const asked: string[] = [];
  page.on('request', (request) => {
    if (/\/svc\/api\/(?:devices|leases)$/.test(request.url())) asked.push(request.url());
  });
  return asked;
}

describe('who has a phone', () => {
  it('is shown at one glance to each viewer, live and without a request (contract 2, /events, /leases)', async () => {
    const pages = await Promise.all([ana.cookie, bob.cookie, root].map((as) => open('/svc/devices', as)));
    const [anas, bobs, admins] = pages as [Page, Page, Page];
    for (const page of pages) {
      await badge(page, 'virtual-4').getByText('Free').waitFor();
      await page.waitForLoadState('networkidle');
    }
    const asked = requestsOf(bobs);
    const id = await start(ana, 'virtual-1');
    await badge(anas, 'virtual-1').getByText('Used by you').waitFor();
    await badge(bobs, 'virtual-1').getByText('Busy').waitFor();
    await badge(admins, 'virtual-1').getByText('Used by ana@lab.test').waitFor();

    const lease = await api('POST', '/leases', { udid: 'virtual-2', minutes: 60 }, ana.cookie);
    await badge(anas, 'virtual-2')
      .getByText(/^Leased to you until \d/)
      .waitFor();
    await badge(bobs, 'virtual-2').getByText('Leased to ana@lab.test').waitFor();
    await badge(admins, 'virtual-2').getByText('Leased to ana@lab.test').waitFor();
    await api('POST', '/leases', { udid: 'virtual-3', minutes: 60 }, bob.cookie);
    await badge(bobs, 'virtual-3')
      .getByText(/^Leased to you until \d/)
      .waitFor();
    expect(await badge(anas, 'virtual-2').getAttribute('class')).toBe('badge badge-own');
    expect(await badge(bobs, 'virtual-2').getAttribute('class')).toBe('badge badge-warn');
    expect(await bobs.content()).not.toContain(id);
    await inspect(anas, 'holders-owner');
    await inspect(admins, 'holders-admin');

    await anas.getByLabel('Status').selectOption('Free');
    await badge(anas, 'virtual-2').waitFor({ state: 'detached' });
    expect(await anas.locator('.device-card').count()).toBe(1);

    await api('DELETE', `/leases/${lease.leaseId}`);
    await badge(bobs, 'virtual-2').getByText('Free').waitFor();
    await api('DELETE', `/session/${id}`);
    for (const page of pages) await badge(page, 'virtual-1').getByText('Free').waitFor();
    expect(asked).toEqual([]);
  });

  it('is shown on the page of the phone and of the session, too (contract 2)', async () => {
    const own = await start(ana, 'virtual-1');
    const page = await open('/svc/devices?udid=virtual-1', root);
    await page.locator('.page-header').getByText('Used by ana@lab.test').waitFor();
    await page.goto(`/svc/sessions?id=${own}`);
    await page.locator('.page-header').getByText('ana@lab.test').waitFor();
    await inspect(page, 'session-of-another');
    const of = (name: string) => page.getByRole('row', { name: new RegExp(name) });
    await createSession(lab.url, undefined, { capabilities: { 'appium:udid': 'virtual-4' } });
    await page.goto('/svc/sessions');
    await of('ana@lab.test').first().waitFor();
    await of('No owner').first().waitFor();
    const pair = await makeToken(lab.url, root, { scopes: ['sessions'] });
    const capabilities = { 'appium:udid': 'virtual-2' };
    await createSession(lab.url, pairOf(pair), { capabilities });
    await of('admin@svc.local').getByText('Yours').waitFor();
    expect(await of('ana@lab.test').first().getByText('Yours').count()).toBe(0);
    await inspect(page, 'sessions-of-others');
  });
});

describe('the list of phones', () => {
  it('follows teams without a reload: of the phone and of the account (contract 3.5, specification 6)', async () => {
    const page = await open('/svc/devices', bob.cookie);
    await badge(page, 'virtual-4').waitFor();
    const { id } = await api('POST', '/teams', { name: 'Red' });
    await api('PUT', '/device/virtual-4/team', { teamId: id });
    await badge(page, 'virtual-4').waitFor({ state: 'detached' });
    await api('POST', `/teams/${id}/members`, { userId: bob.userId });
    await badge(page, 'virtual-4').waitFor();
    await api('DELETE', `/teams/${id}/members/${bob.userId}`);
    await badge(page, 'virtual-4').waitFor({ state: 'detached' });
    await api('PUT', '/device/virtual-4/team', { teamId: null });
    await badge(page, 'virtual-4').waitFor();
  });

  it('who waits for it is shown with one’s own place, to others without names, and disappears (contract 13)', async () => {
    for (const { id, status } of await api('GET', '/sessions'))
      if (status === 'running') await api('DELETE', `/session/${id}`);
    const id = await start(ana, 'virtual-4');
    const pages = await Promise.all([ana.cookie, bob.cookie, root].map((as) => open('/svc/devices', as)));
    const [anas, bobs, admins] = pages as [Page, Page, Page];
    const queued = createSession(
      lab.url,
      { ...pairOf(bob), queueSeconds: 120 },
      {
        capabilities: { 'appium:udid': 'virtual-4' },
      },
    );
    await bobs.getByText(/^You are next for /).waitFor();
    await anas.getByRole('cell', { name: 'Someone else' }).waitFor();
    await admins.getByRole('cell', { name: 'bob@lab.test' }).waitFor();
    expect(await anas.getByRole('cell', { name: 'bob@lab.test' }).count()).toBe(0);
    await inspect(bobs, 'devices-queue');
    await api('DELETE', `/session/${id}`);
    const { value } = (await queued).body;
    await bobs.getByText(/^You are next for /).waitFor({ state: 'detached' });
    await api('DELETE', `/session/${value.sessionId}`);
  });
});
