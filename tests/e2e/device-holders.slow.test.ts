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
    env: {
      SVC_LAB_LOG_LEVEL: 'info',
      SVC_LOGIN_RATE_LIMIT_ATTEMPTS: '1000',
      SVC_LAB_DEVICES: '4',
      SVC_REQUIRE_COMMAND_AUTH: 'true',
    },
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

/** Collects the requests for phones that a page sends from now on. */
function requestsOf(page: Page): string[] {
  const asked: string[] = [];
  page.on('request', (request) => {
    if (/\/svc\/api\/(?:devices|leases)$/.test(request.url())) asked.push(request.url());
  });
  return asked;
}

describe('who has a phone', () => {
  it('the holder of a phone is shown at one glance to each viewer, live and without a request (contract 2, /events, /leases)', async () => {
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
    await badge(anas, 'virtual-2').getByText('Leased to you', { exact: true }).waitFor();
    await badge(bobs, 'virtual-2').getByText('Leased to ana@lab.test').waitFor();
    await badge(admins, 'virtual-2').getByText('Leased to ana@lab.test').waitFor();
    await api('POST', '/leases', { udid: 'virtual-3', minutes: 60 }, bob.cookie);
    await badge(bobs, 'virtual-3').getByText('Leased to you', { exact: true }).waitFor();
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

  it('the holder of a phone is shown on the page of the phone and of the session, too (contract 2)', async () => {
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
  it('the list of phones follows teams without a reload: of the phone and of the account (contract 3.5, specification 6)', async () => {
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

  it('users who wait for a phone see their own place, others see no names, and the entry disappears (contract 13)', async () => {
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

describe('remote control', () => {
  const lease = (person: Person, udid: string) =>
    api('POST', '/leases', { udid, minutes: 60 }, person.cookie);
  const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
  const sessionOn = async (udid: string) =>
    (await api('GET', '/devices')).find((each: { udid: string }) => each.udid === udid)?.session;

  it('remote control drives a leased phone with mouse and keyboard through a session of its own, which is logged (contract 2 /leases, 6, 7)', async () => {
    const { leaseId } = await lease(ana, 'virtual-1');
    const page = await browsers.page({ baseURL: lab.url, cookie: ana.cookie, refusals: [405, 500] });
    const secrets: string[] = [];
    page.on('response', async (answer) => {
      if (!/\/auth\/(?:token|session-token)$/.test(answer.url())) return;
      const { token, sessionToken } = await answer.json();
      secrets.push(token ?? sessionToken);
    });
    await page.goto('/svc/devices?udid=virtual-1');
    await page.getByText('Options', { exact: true }).focus();
    await page.keyboard.press('Enter');
    await page.getByLabel('Capabilities of the driver, as JSON').fill('{');
    await press(page, 'Start remote control');
    await page.getByText('The capabilities are not valid JSON.').waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Start remote control' }).press('Enter');
    const screen = page.getByRole('application', { name: /^Screen of Virtual phone 1/ });
    await screen.waitFor();
    // The button that had the focus has been removed, so the focus moves to the first button of the controls.
    const focused = () => page.evaluate('document.activeElement.textContent');
    await expect.poll(focused).toBe('Stop remote control');
    await inspect(page, 'remote-control');

    const box = (await screen.locator('img').boundingBox()) as { x: number; y: number };
    await page.mouse.move(box.x + 50, box.y + 300);
    await page.mouse.down();
    await page.mouse.move(box.x + 50, box.y + 100, { steps: 4 });
    await page.mouse.up();
    await page.getByText('Swiped.').waitFor();
    await screen.locator('img').click({ position: { x: 20, y: 20 } });
    await page.getByText(/^Tapped at/).waitFor();
    await screen.focus();
    await page.keyboard.type('secret words');
    await page.keyboard.press('Enter');
    await page.getByText('Pressed Enter.').waitFor();
    await press(page, 'Home');
    await page.getByText('The driver of this phone has no such key.').waitFor();
    await press(page, 'Rotate');
    await page.getByText('Rotated.').waitFor();
    const saved = page.waitForEvent('download');
    await press(page, 'Save a screenshot');
    expect((await saved).suggestedFilename()).toMatch(/^Virtual-phone-1-.*\.png$/);

    const { id, name, owner } = await sessionOn('virtual-1');
    expect([name, owner.email]).toEqual(['Remote control', 'ana@lab.test']);
    expect(secrets).toHaveLength(2);
    await press(page, 'Stop remote control');
    await page.getByText('Remote control has ended.').waitFor();
    await expect.poll(focused).toBe('Start remote control');
    const log = JSON.stringify(await api('GET', `/session/${id}/session_log`));
    expect(log).toContain('/orientation');
    const shown = (await page.content()) + log + lab.output();
    for (const secret of [...secrets, 'secret words']) expect(shown).not.toContain(secret);
    await api('DELETE', `/leases/${leaseId}`);
  });

  it('remote control shows the pictures of the driver for a phone without a preview, and says when there are none (contract 2 /control)', async () => {
    const { leaseId } = await lease(ana, 'virtual-1');
    const page = await browsers.page({ baseURL: lab.url, cookie: ana.cookie, refusals: [500] });
    const none = { mjpeg: false, h264: false, logs: false };
    await page.route('**/control/virtual-1/streams', (route) => route.fulfill({ json: none }));
    await page.goto('/svc/devices?udid=virtual-1');
    await page.getByText('Remote control shows the pictures that its driver takes.').waitFor();
    await page.getByRole('button', { name: 'Start remote control' }).press('Enter');
    await page.getByRole('img', { name: 'Latest picture of Virtual phone 1' }).click();
    await page.getByText('Tapped at 50 %, 50 %.').waitFor();
    const refusal = { value: { error: 'unknown error', message: 'the screen is secure', stacktrace: '' } };
    await page.route('**/screenshot', (route) => route.fulfill({ status: 500, json: refusal }));
    await press(page, 'Swipe up');
    await page.getByText('The driver of this phone gives no picture at the moment.').waitFor();
    await inspect(page, 'remote-control-pictures');
    await api('DELETE', `/leases/${leaseId}`);
  });

  it('remote control ends with the lease, with the page, and when another tab takes over (contract 2 /leases)', async () => {
    const { leaseId } = await lease(bob, 'virtual-2');
    const first = await open('/svc/devices?udid=virtual-2', bob.cookie);
    await press(first, 'Start remote control');
    await first.getByRole('application').waitFor();
    // An override admin sees the lease and the session, but is not the holder of the lease.
    const admins = await open('/svc/devices?udid=virtual-2', root);
    await admins.getByLabel('Text to type').waitFor();
    expect(await admins.getByRole('button', { name: /remote control|Home/ }).count()).toBe(0);

    const second = await first.context().newPage();
    // The tab takes over before it knows where the WebDriver routes are.
    let answer = () => {};
    const asked = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await second.route('**/svc/api/capabilities', async (route) => {
      await asked;
      await route.continue();
    });
    await second.goto('/svc/devices?udid=virtual-2');
    const minted = second.waitForResponse('**/svc/api/auth/token');
    await press(second, 'Take over');
    await minted;
    answer();
    await first.getByText('Another tab or browser of yours has taken over.').waitFor();
    await press(second, 'Swipe up');
    await second.getByText('Swiped.').waitFor();
    await first.close();
    expect((await sessionOn('virtual-2')).name).toBe('Remote control (2)');
    await second.goto('/svc/profile');
    await expect.poll(() => sessionOn('virtual-2')).toBeUndefined();

    await second.goto('/svc/devices?udid=virtual-2');
    await press(second, 'Start remote control');
    await second.getByRole('application').waitFor();
    await api('DELETE', `/leases/${leaseId}`);
    await second.getByText('the phone is no longer leased to you').waitFor();
    await expect.poll(() => sessionOn('virtual-2')).toBeUndefined();
  });
});
