import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningServer, request, signIn, startLab } from '../support/lab.ts';
import { createSession, makePerson, type Person, pairOf } from '../support/sessions.ts';
import { useBrowser } from './support/browser.ts';
import { inspect } from './support/inspect.ts';
import { row, toasted } from './support/people.ts';

const MARKUP = '<script>alert(1)</script><img src=x onerror=alert(2)>';

const browsers = useBrowser();
let lab: RunningServer;
let root: string;
let ana: Person;

beforeAll(async () => {
  lab = await startLab({ env: { SVC_LAB_LOG_LEVEL: 'error', SVC_LOGIN_RATE_LIMIT_ATTEMPTS: '1000' } });
  root = await signIn(lab.url);
  ana = await makePerson(lab, root, 'ana@lab.test');
});
afterAll(() => lab?.stop());

async function open(path: string, cookie = ana.cookie, refusals: readonly number[] = []): Promise<Page> {
  const page = await browsers.page({ baseURL: lab.url, cookie, refusals });
  await page.goto(path);
  return page;
}

const start = async () => (await createSession(lab.url, pairOf(ana))).body.value.sessionId;
const command = (id: string, method: string, path: string, json?: unknown) =>
  request(`${lab.url}/session/${id}${path}`, { method, headers: ana.headers, json });
const svc = (id: string, what: string, argument: object) =>
  command(id, 'POST', '/execute/sync', { script: `svc: ${what}`, args: [argument] });

/** Runs a session with these commands, and then ends it with this status. */
async function run(name: string, status: 'passed' | 'failed', paths: readonly string[]): Promise<string> {
  const id = await start();
  await svc(id, 'setSessionName', { name });
  for (const path of paths) await command(id, 'GET', path);
  await svc(id, 'setSessionStatus', { status, ...(status === 'failed' ? { reason: MARKUP } : {}) });
  await command(id, 'DELETE', '');
  return id;
}

describe('Sessions', () => {
  it('the page Sessions shows a session live, with its name, tags and end, only ever as text (contract 2 /sessions, specification 6)', async () => {
    const page = await open('/svc/sessions');
    await page.getByText('No sessions yet').waitFor();
    await inspect(page, 'sessions-empty');
    const id = await start();
    await page.getByText('Unnamed session').waitFor();
    await svc(id, 'setSessionName', { name: MARKUP });
    await svc(id, 'addTag', { tag: `tag ${MARKUP}`.slice(0, 60) });
    await page.getByRole('link', { name: MARKUP }).waitFor();
    await page.locator('.tag').getByText('<script>').waitFor();
    const row = page.locator('tr', { has: page.getByRole('link', { name: MARKUP }) });
    const counted = () => row.locator('.running-time').textContent();
    const before = await counted();
    await expect.poll(counted).not.toBe(before);
    await inspect(page, 'sessions');
    await command(id, 'DELETE', '');
    await row.getByText('Ended').waitFor();
    expect(await page.locator('main script, img[src="x"]').count()).toBe(0);
  });

  it('the page Sessions finds on the server, and keeps what is asked for in its address (contract 2 /sessions)', async () => {
    const failed = await run('find me', 'failed', []);
    const page = await open('/svc/sessions?status=failed');
    await page.getByRole('link', { name: 'find me' }).waitFor();
    expect(await page.getByLabel('Status').inputValue()).toBe('failed');
    await page.getByLabel('Status').selectOption('passed');
    await page.getByText('No session matches').waitFor();
    await page.getByLabel('Status').selectOption('');
    await page.getByLabel(/^Search/).fill(failed.slice(0, 13));
    await expect.poll(() => page.url()).toContain(`search=${failed.slice(0, 13)}`);
    await expect.poll(() => page.locator('tbody tr').count()).toBe(1);
    await page.reload();
    await page.getByRole('link', { name: 'find me' }).waitFor();
    await page.locator('tbody tr').focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'find me' }).waitFor();
    expect(new URL(page.url()).searchParams.get('id')).toBe(failed);
  });

  it('the page of a session shows the cleaning after it and what was removed, only as text (contract 17.3)', async () => {
    const id = await run('leaves an app', 'passed', []);
    const page = await open('/svc/sessions');
    let clean: object = { state: 'pending', removed: [], at: null };
    await page.route(`**/api/session/${id}`, async (route) => {
      const answer = await route.fetch();
      await route.fulfill({ response: answer, json: { ...(await answer.json()), clean } });
    });
    await page.goto(`/svc/sessions?id=${id}`);
    await page.getByText('The phone is cleaned before its next holder gets it.').waitFor();
    const path = `/sdcard/Download/${MARKUP}/${'x'.repeat(200)}`;
    clean = { state: 'cleaned', removed: ['com.left.shop', 'httpProxy', path], at: new Date().toISOString() };
    await page.reload();
    await page.getByText('The phone was cleaned.').waitFor();
    const removed = page.getByRole('list', { name: 'Removed or set back' }).getByRole('listitem');
    expect(await removed.allTextContents()).toEqual(['com.left.shop', 'HTTP proxy', path]);
    await inspect(page, 'session-cleaning');
  });

  it('the page Sessions tells of one: its commands as they come with what they carried, and ends it when asked twice (contract 2 /session)', async () => {
    const id = await start();
    const page = await open(`/svc/sessions?id=${id}`);
    await page.getByRole('heading', { name: 'Unnamed session' }).waitFor();
    await command(id, 'POST', '/element', { using: 'id', value: MARKUP });
    const row = page.locator('li > details.command', { hasText: 'Find element' });
    const line = row.locator('summary').first();
    await line.getByText(`id ${MARKUP}`).waitFor();
    await line.getByText(/^no such element: An element could not be located/).waitFor();
    await line.click();
    await row.getByText(`POST /session/${id}/element`).waitFor();
    await row.getByText('Stack trace').click();
    const stack = await row.locator('.command-stack pre').textContent();
    expect(stack).toContain('NoSuchElementError');
    expect(stack).not.toContain(process.cwd());
    await inspect(page, 'session');
    await command(id, 'GET', '/orientation');
    const titles = page.locator('.timeline .command-name');
    await expect.poll(() => titles.allTextContents()).toEqual(['Find element', 'Get orientation']);
    await page.getByLabel('Failed commands only').check();
    await expect.poll(() => titles.allTextContents()).toEqual(['Find element']);
    await page.getByLabel('Search in the commands').fill('orientation');
    await page.getByText('No command that is loaded matches.').waitFor();
    await page.getByRole('button', { name: 'Go to the first failure' }).click();
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('command-1');
    expect(await titles.allTextContents()).toEqual(['Find element', 'Get orientation']);
    const asked = page.getByRole('dialog');
    await page.getByRole('button', { name: 'Give somebody this session for 30 minutes' }).click();
    await page.getByText('Not used yet.').waitFor();
    await page.getByRole('button', { name: 'End', exact: true }).click();
    await asked.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('Not used yet.').waitFor();
    await page.getByRole('button', { name: 'End', exact: true }).click();
    await asked.getByRole('button', { name: 'End', exact: true }).click();
    await page.getByText('Not used yet.').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'End session' }).click();
    await asked.getByRole('button', { name: 'Cancel' }).click();
    expect((await command(id, 'GET', '/source')).status).toBe(200);
    await page.getByRole('button', { name: 'End session' }).click();
    await asked.getByRole('button', { name: 'End session' }).click();
    await page.getByText('The session has ended.').waitFor();
    expect((await command(id, 'GET', '/source')).status).toBe(404);
    expect(await page.locator('main script, img[src="x"]').count()).toBe(0);
    const hidden = await open('/svc/sessions?id=nobody', ana.cookie, [404]);
    await hidden.getByRole('heading', { level: 1, name: 'There is no such session' }).waitFor();
  });

  it('the page Sessions compares a failed run with the last one of its name that passed (contract 2 /session)', async () => {
    await run('checkout', 'passed', ['/orientation', '/source', '/context']);
    await run('another', 'passed', []);
    const failed = await run('checkout', 'failed', ['/orientation', '/contexts', '/context']);
    const page = await open(`/svc/sessions?id=${failed}`);
    await page.locator('.failure').getByText(MARKUP).waitFor();
    await inspect(page, 'session-failed');
    await page.getByRole('button', { name: 'Compare with the last passed run' }).click();
    await page.getByText('First difference', { exact: true }).waitFor();
    const first = page.locator('#first-difference');
    expect(await first.textContent()).toContain('/contexts');
    await page.getByRole('button', { name: 'Go to the first difference' }).click();
    expect(await page.evaluate(`document.activeElement.id`)).toBe('first-difference');
    const kinds = await page
      .locator('.compared-line')
      .evaluateAll((lines) => lines.map((line) => line.className.split('compared-').at(-1)));
    expect(kinds).toEqual(expect.arrayContaining(['same', 'only-left', 'only-right']));
    await inspect(page, 'session-compared');
    const alone = await run('never passed', 'failed', []);
    await page.goto(`/svc/sessions?id=${alone}`);
    await page.getByRole('button', { name: 'Compare with the last passed run' }).click();
    await page.getByText('No earlier session named “never passed” has passed.').waitFor();
  });
});

describe('Apps', () => {
  it('uploads dropped and chosen files, shows who used them, and deletes them, by keyboard (contract 2 /apps)', async () => {
    const page = await open('/svc/apps', root);
    await page.getByText('No apps yet').waitFor();
    const dropped = await page.evaluateHandle(
      'const data = new DataTransfer(); data.items.add(new File(["x".repeat(2e6)], "large.apk")); data',
    );
    await page.locator('.drop-zone').dispatchEvent('drop', { dataTransfer: dropped });
    await toasted(page, 'large.apk was uploaded');
    // Who uploaded an app arrives after the list of the apps.
    const large = await row(page, 'Apps', 'large.apk');
    await expect.poll(() => large.textContent()).toMatch(/2 MB.*admin@svc.local.*not yet/);
    const [chooser] = await Promise.all([
      page.waitForEvent('filechooser'),
      page.getByRole('button', { name: 'Choose files' }).press('Enter'),
    ]);
    const name = `${MARKUP}.xml`.replaceAll('/', '');
    await chooser.setFiles({ name, mimeType: 'text/xml', buffer: Buffer.from('<app/>') });
    await row(page, 'Apps', '.xml');

    const [{ id }] = (await (await lab.api('/apps', { headers: ana.headers })).json()) as [{ id: string }];
    // The driver of the virtual phones ignores this app and does not download it.
    const capabilities = { 'appium:otherApps': `svc:app/${id}` };
    const created = await createSession(lab.url, pairOf(ana), { capabilities });
    expect(created.status, JSON.stringify(created.body)).toBe(200);
    await command(created.body.value.sessionId, 'DELETE', '');
    await page.reload();
    const used = await row(page, 'Apps', 'ana@lab.test');
    expect(await used.locator('a').getAttribute('href')).toContain(`?id=${created.body.value.sessionId}`);
    await inspect(page, 'apps');
    await used.getByRole('button', { name: /^Copy the name of/ }).press('Enter');
    await used.getByRole('button', { name: /^Copied the name of/ }).waitFor();

    await (await row(page, 'Apps', 'large.apk'))
      .getByRole('button', { name: 'Delete large.apk' })
      .press('Enter');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).press('Enter');
    await toasted(page, 'large.apk was deleted');
    expect(await page.getByText('large.apk', { exact: true }).count()).toBe(0);
  });

  it('a Member sees the apps and their own sessions, and cannot change them (contract 2 /apps)', async () => {
    const page = await open('/svc/apps');
    await (await row(page, 'Apps', '.xml')).getByText('ana@lab.test').waitFor();
    expect(await page.getByRole('button', { name: /Delete|Choose/ }).count()).toBe(0);
    const bob = await makePerson(lab, root, 'bob@lab.test');
    const uses = await (await lab.api('/apps/uses', { headers: bob.headers })).json();
    expect(uses).toMatchObject([{ uploadedBy: { email: 'admin@svc.local' }, sessions: [] }]);
    expect((await lab.api('/apps/uses')).status).toBe(401);
  });
});
