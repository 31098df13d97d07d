import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Person, World } from '../conformance/support/world.ts';
import { request, startLab } from '../support/lab.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { createSession } from '../support/sessions.ts';
import { useBrowser } from './support/browser.ts';
import { expectAccessible, expectWholeWords, inspect } from './support/inspect.ts';
import { expectOnlyText, HOSTILE, openAs, row, toasted } from './support/people.ts';

const browsers = useBrowser();

describe('the pages for what happened and what is set', () => {
  let world: World;
  let admin: Person;
  let receiver: Receiver;
  beforeAll(async () => {
    receiver = await startReceiver();
    const env = { SVC_COMMAND_AUTH_REPORT_ONLY: 'true', SVC_WEBHOOK_ALLOW: '127.0.0.1' };
    world = await World.start(startLab, env);
    admin = await world.person('Admin');
  });
  afterAll(async () => {
    await receiver.close();
    await world.server.stop();
  });

  it('rows are searched by person, event and time on the server (contract 2, /audit)', async () => {
    await world.ok('POST', '/teams', { as: admin.as, json: { name: 'Searched' } });
    const page = await openAs(browsers, world, world.root.as, 'audit');
    const created = await row(page, 'Audit trail', 'team created');
    // The row contains the id of the team; the page shows its name.
    await created.getByRole('link', { name: 'Searched' }).waitFor();
    expect(await created.textContent()).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}-/);
    await (await row(page, 'Audit trail', 'Changed the lab')).getByText('authz_admin').first().waitFor();
    await inspect(page, 'audit');
    await page.getByLabel('Person', { exact: true }).fill(admin.email.toUpperCase());
    await page.getByLabel('Event').fill('authz_admin');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.locator('tbody tr').count()).toBe(1);
    expect(new URL(page.url()).searchParams.get('event')).toBe('authz_admin');
    await page.reload();
    await (await row(page, 'Audit trail', 'team created')).click();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Only this person' }).click();
    await expect.poll(() => page.locator('tbody tr').count()).toBeGreaterThan(1);
    await page.getByLabel('From').fill('2100-01-01T00:00');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByText('No row matches').waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Clear' }).click();
    await row(page, 'Audit trail', 'team created');
    await world.ok('POST', '/teams', { as: admin.as, json: { name: 'New row' } });
    await page.getByRole('button', { name: /^Show \d+ new rows?$/ }).click();
    await expect.poll(() => page.locator('tbody tr', { hasText: 'team created' }).count()).toBe(2);
  });

  it('the chain is verified, and the files hold what was searched for (contract 2, /audit)', async () => {
    const page = await openAs(browsers, world, admin.as, 'audit?event=authz_admin');
    await page.getByRole('button', { name: 'Verify chain' }).click();
    await page.getByText('The chain is intact').waitFor();
    await expectAccessible(page);
    for (const [name, format] of [
      ['CSV', 'csv'],
      ['JSON lines', 'jsonl'],
    ] as const) {
      await page.getByRole('button', { name: 'Export' }).click();
      const started = page.waitForEvent('download');
      await page.getByRole('link', { name, exact: true }).click();
      const file = await started;
      expect(file.suggestedFilename()).toBe(`audit.${format}`);
      const lines = readFileSync(await file.path(), 'utf8')
        .trim()
        .split('\n');
      expect(lines.length).toBeGreaterThanOrEqual(2);
      expect(lines.slice(1).every((line) => line.includes('authz_admin'))).toBe(true);
      await page.keyboard.press('Escape');
    }
  });

  it('verifying a long trail is waited for past the time of other calls, and can be left (contract 2, /audit)', async () => {
    const page = await browsers.page({ baseURL: world.url, cookie: world.root.as.cookie ?? '' });
    // Time limits of calls are twenty times shorter: 30 s become 1.5 s.
    await page.addInitScript(
      'AbortSignal.timeout = ((usual) => (ms) => usual.call(AbortSignal, ms / 20))(AbortSignal.timeout);',
    );
    const held: (() => void)[] = [];
    await page.route(/\/audit\/verify|\/audit\?/, async (route) => {
      await new Promise<void>((release) => held.push(release));
      await route.continue().catch(() => undefined);
    });
    await page.goto('/svc/audit');
    await page.getByRole('button', { name: 'Verify chain' }).click();
    await page.getByText('Checking every row…').waitFor();
    // The request for the list is cancelled by the time limit of 1.5 s, too.
    await page.getByText('The server cannot be reached.').waitFor();
    await page.getByText(/^[2-9] s so far/).waitFor();
    await inspect(page, 'audit-verifying');
    await page.getByRole('button', { name: 'Stop waiting' }).click();
    await page.getByText('Checking every row…').waitFor({ state: 'detached' });
    expect(await page.getByRole('alert').filter({ hasText: /\S/ }).count()).toBe(1);
    await page.getByRole('button', { name: 'Verify chain' }).click();
    await expect.poll(() => held.length).toBe(3);
    for (const release of held) release();
    await page.getByText('The chain is intact').waitFor();
  });

  it('commands that the check would refuse are shown by client, whatever name the client sends (specification 5.7)', async () => {
    const pair = await world.pair(admin.as);
    const made = await createSession(world.url, { accessKey: pair.accessKey, token: pair.token });
    const id = made.body.value.sessionId;
    await request(`${world.url}/session/${id}/timeouts`, { headers: { 'user-agent': HOSTILE } });
    const page = await openAs(browsers, world, admin.as, 'command-check');
    const shown = await row(page, 'Clients', id);
    expect(await shown.textContent()).toContain('no credentials');
    await expectOnlyText(page);
    await page.getByText('report only').waitFor();
    await inspect(page, 'command-check');
    await request(`${world.url}/session/${id}`, { method: 'DELETE', headers: pair.as });
  });

  it('a refusal is explained by its request id (contract 7)', async () => {
    const member = await world.person();
    await world.api('GET', '/users', { as: member.as, headers: { 'x-request-id': 'why-was-it' } });
    const page = await openAs(browsers, world, admin.as, 'command-check', { refusals: [404] });
    await page.getByLabel('Request id').fill('why-was-it');
    await page.getByRole('button', { name: 'Explain' }).click();
    await page.getByText('GET /svc/api/users').waitFor();
    await expectAccessible(page);
    await page.getByLabel('Request id').fill('nobody-sent-it');
    await page.getByRole('button', { name: 'Explain' }).click();
    await page.getByText('There is no refusal with this id').waitFor();
    // A link in the audit trail explains the request immediately.
    await page.goto('/svc/command-check?request=why-was-it');
    await page.getByText('GET /svc/api/users').waitFor();
  });

  it('settings are saved, and one that cannot work is told at its field (contract 2, /config)', async () => {
    const page = await openAs(browsers, world, world.root.as, 'settings', { refusals: [400] });
    const days = page.getByLabel('Audit trail (days)');
    await page.getByText('No unsaved changes').waitFor();
    await page.getByLabel('Maximum number of sessions').fill('5');
    await page.getByText('1 unsaved change').waitFor();
    await page.getByRole('button', { name: 'Discard' }).click();
    await page.getByText('No unsaved changes').waitFor();
    await page.getByLabel('Maximum number of sessions').fill('3');
    await days.fill('1');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Nothing was saved, because one value is not valid.').waitFor();
    expect(await days.getAttribute('aria-invalid')).toBe('true');
    await page
      .locator('.field-error')
      .getByText(/^This /)
      .waitFor();
    await inspect(page, 'settings-refused');
    expect((await world.ok('GET', '/config', { as: admin.as })).settings.maxSessions).toBe(0);
    await days.fill('400');
    await page.getByRole('button', { name: 'Save' }).click();
    await toasted(page, 'The settings were saved');
    expect((await world.ok('GET', '/config', { as: admin.as })).settings.maxSessions).toBe(3);
    expect(await page.getByText('AI provider').count()).toBe(0);
    await page.getByLabel('Maximum number of sessions').fill('');
    await page.getByRole('button', { name: 'Save' }).click();
    await expect
      .poll(async () => (await world.ok('GET', '/config', { as: admin.as })).settings.maxSessions)
      .toBe(0);
  });

  it('an Admin reads settings and cannot change them (contract 3.3)', async () => {
    const page = await openAs(browsers, world, admin.as, 'settings');
    await page.getByText('Only a Super admin can change settings.').waitFor();
    expect(await page.getByLabel('Maximum number of sessions').isDisabled()).toBe(true);
    expect(await page.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
  });

  it('a webhook is tested, added with its secret shown once, changed, paused and deleted (contract 2, /webhook)', async () => {
    const page = await openAs(browsers, world, admin.as, 'settings?tab=webhooks', { refusals: [400] });
    await page.getByText('No webhooks yet').waitFor();
    await page.getByRole('button', { name: 'New webhook' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Address').fill('ftp://hooks.test/x');
    await dialog.getByRole('button', { name: 'New webhook' }).click();
    await dialog.locator('.field-error').waitFor();
    await dialog.getByLabel('Address').fill(`${receiver.url}/hook`);
    await dialog.getByRole('button', { name: 'Send a test' }).click();
    await receiver.until((received) => received.length === 1);
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'New webhook' }).click();
    const secret = (await dialog.locator('.secret-once code').textContent()) ?? '';
    expect(secret).toMatch(/^whsec_/);
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Done' }).click();
    expect(await page.content()).not.toContain(secret);
    await page.getByRole('button', { name: /^Send a test: / }).click();
    await receiver.until((received) => received.length === 2);
    await toasted(page, 'It was delivered: 204');
    await page.getByRole('button', { name: /^Change the webhook/ }).press('Enter');
    await dialog.getByLabel('Format').selectOption('Slack');
    await dialog.getByLabel('lease_ended').check();
    await dialog.getByLabel('Only events with the tag').fill('smoke');
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('only the tag smoke').waitFor();
    const as = admin.as;
    await world.ok('POST', '/device/tags', { as, json: { udid: 'virtual-1', tags: ['smoke'] } });
    const lease = await world.ok('POST', '/leases', { as, json: { udid: 'virtual-1', minutes: 5 } });
    await world.ok('DELETE', `/leases/${lease.leaseId}`, { as });
    await receiver.until((received) => received.length === 3);
    await page.getByRole('button', { name: /^Deliveries to/ }).click();
    await dialog.getByText('A lease of virtual-1 ended').waitFor();
    const again = dialog.getByRole('button', { name: 'Send again: A lease of virtual-1 ended' });
    await expect
      .poll(async () => {
        await dialog.getByRole('button', { name: 'Refresh' }).click();
        return await again.count();
      })
      .toBe(1);
    await again.press('Enter');
    await receiver.until((received) => received.length === 4);
    expect(receiver.received[3]?.json).toMatchObject({ text: 'A lease of virtual-1 ended' });
    await inspect(page, 'webhook-deliveries');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: /^Pause the webhook/ }).click();
    await page.getByRole('button', { name: /^Resume the webhook/ }).waitFor();
    await inspect(page, 'webhooks');
    await expectWholeWords(page);
    await page.getByRole('button', { name: /^Delete the webhook/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No webhooks yet').waitFor();
  });

  it('the access matrix shows what each route asks for (contract 1, guard order)', async () => {
    const page = await openAs(browsers, world, admin.as, 'access');
    await page.getByRole('searchbox').fill('post /config');
    await expect.poll(() => page.locator('tbody tr').count()).toBe(2);
    expect(await (await row(page, 'Routes', 'test-ai')).textContent()).toContain('Super admin, scope admin');
    await inspect(page, 'access');
    await page.goto('/svc/access');
    const users = page.locator('summary', { hasText: '/users' });
    await users.waitFor();
    expect(await page.getByRole('table').count()).toBe(0);
    await users.press('Enter');
    await page.getByRole('table', { name: 'Routes: /users' }).waitFor();
    await expectAccessible(page);
  });

  it('the API reference is rendered from the server’s own document', async () => {
    const page = await openAs(browsers, world, admin.as, 'api-reference');
    await page.getByText(/^\d+ routes$/).waitFor();
    await page.getByRole('searchbox').fill('createUser');
    await page.getByText('1 route', { exact: true }).waitFor();
    await page.locator('summary').click();
    await page.getByText('one of "Member", "Admin", "Super admin"').first().waitFor();
    await inspect(page, 'api-reference');
    await page.goto('/svc/api-reference#listUsers');
    expect(await page.locator('#listUsers').getAttribute('open')).not.toBeNull();
  });
});
