import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Person, World } from '../conformance/support/world.ts';
import { startLab } from '../support/lab.ts';
import { useBrowser } from './support/browser.ts';
import { expectAccessible, inspect } from './support/inspect.ts';
import { expectOnlyText, HOSTILE, openAs, row, toasted } from './support/people.ts';

const browsers = useBrowser();

describe('the pages for people, teams and keys', () => {
  let world: World;
  let admin: Person;
  beforeAll(async () => {
    world = await World.start(startLab);
    admin = await world.person('Admin');
  });
  afterAll(() => world.server.stop());

  const make = (json: object) =>
    world.ok('POST', '/users', { as: world.root.as, json: { role: 'Member', ...json } });

  it('a user is invited: the temporary password is shown once, and it works (specification 5.9.1)', async () => {
    const page = await openAs(browsers, world, world.root.as, 'users');
    await page.getByRole('button', { name: 'Invite user' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('E-mail').fill('ada@lab.test');
    await dialog.getByLabel('Name').fill('Ada');
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Invite', exact: true }).click();
    await dialog.getByText('It is shown only once').waitFor();
    await inspect(page, 'users-invited');
    const password = await dialog.locator('.secret-once code').textContent();
    // Escape must not close the dialog, because the password would be lost.
    await page.keyboard.press('Escape');
    expect(await dialog.isVisible()).toBe(true);
    await dialog.getByRole('button', { name: 'Done' }).click();
    expect(await page.content()).not.toContain(password);
    await world.signIn('ada@lab.test', password ?? '');
    await row(page, 'Users', 'ada@lab.test');
  });

  it('a taken e-mail is told at its field, and what was typed stays (contract 2, /users)', async () => {
    const page = await openAs(browsers, world, world.root.as, 'users', { refusals: [409] });
    await page.getByRole('button', { name: 'Invite user' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('E-mail').fill(admin.email.toUpperCase());
    await dialog.getByLabel('Name').fill('Twice');
    await dialog.getByRole('button', { name: 'Invite', exact: true }).click();
    await dialog.getByText('Another user has this e-mail.').waitFor();
    expect(await dialog.getByLabel('E-mail').getAttribute('aria-invalid')).toBe('true');
    expect(await dialog.getByLabel('Name').inputValue()).toBe('Twice');
  });

  it('one is edited, deactivated, activated and deleted; what cannot be taken back asks (contract 2, /users)', async () => {
    const { id } = await make({ email: 'eve@lab.test', name: HOSTILE });
    const team = await world.ok('POST', '/teams', { as: world.root.as, json: { name: `Team ${HOSTILE}` } });
    const page = await openAs(browsers, world, world.root.as, 'users?search=eve@');
    await expectOnlyText(page);
    // By keyboard: focus the row, then open its dialog.
    await (await row(page, 'Users', 'eve@lab.test')).focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog').first();
    await dialog.getByLabel('Role').selectOption('Admin');
    await dialog.getByLabel(team.name).check();
    await inspect(page, 'users-edit');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await toasted(page, 'was changed');
    const user = async () =>
      (await world.ok('GET', '/users?search=eve@', { as: world.root.as }))[0] as Record<string, unknown>;
    expect(await user()).toMatchObject({ id, role: 'Admin', status: 'Active', teams: [{ id: team.id }] });

    await page.getByRole('button', { name: /^Edit / }).click();
    await page.getByRole('button', { name: 'Deactivate' }).click();
    await page
      .getByRole('dialog', { name: /^Deactivate / })
      .getByRole('button', { name: 'Deactivate' })
      .click();
    await toasted(page, 'is no longer active');
    expect(await user()).toMatchObject({ status: 'Inactive' });
    await page.getByRole('button', { name: 'Activate' }).click();
    await toasted(page, 'is active again');
    await page.getByRole('button', { name: 'Delete' }).click();
    const asks = page.getByRole('dialog', { name: /^Delete / });
    await expectAccessible(page);
    await asks.getByRole('button', { name: 'Cancel' }).click();
    expect(await user()).toBeDefined();
    await page.getByRole('button', { name: 'Delete' }).click();
    await asks.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('Nothing found').waitFor();
    expect(await user()).toBeUndefined();
    await world.ok('DELETE', `/teams/${team.id}`, { as: world.root.as });
  });

  it('a link made while no public address is set points at the browser’s address (specification 5.10.3)', async () => {
    await make({ email: 'rita@lab.test', name: 'Rita' });
    const page = await openAs(browsers, world, world.root.as, 'users?search=rita');
    await page.getByRole('button', { name: 'Edit Rita' }).click();
    await page.getByRole('button', { name: 'Reset password' }).click();
    await page.getByRole('button', { name: 'Create link' }).click();
    const shown = page.getByRole('dialog', { name: 'Reset link' });
    const link = (await shown.locator('code').textContent()) ?? '';
    expect(link.startsWith(`${world.url}/svc/reset-password#`)).toBe(true);
    await expectAccessible(page);
    const stranger = await browsers.page();
    await stranger.goto(link);
    await stranger.getByLabel('New password', { exact: true }).waitFor();
    expect(stranger.url()).not.toContain('#');
    await shown.getByRole('button', { name: 'Done' }).click();
    expect(await page.content()).not.toContain(link);
  });

  it('an Admin sees Members and themselves, and may give the role Member only (contract 3.6)', async () => {
    const page = await openAs(browsers, world, admin.as, 'users');
    await row(page, 'Users', 'rita@lab.test');
    expect(await page.getByText(world.root.email).count()).toBe(0);
    await page.getByRole('button', { name: 'Edit Rita' }).click();
    expect(await page.getByRole('dialog').getByLabel('Role').locator('option').allTextContents()).toEqual([
      'Member',
    ]);
    await page.keyboard.press('Escape');
    await page.getByRole('table').locator('tbody tr', { hasText: admin.email }).getByRole('button').click();
    await page.getByText('You cannot change your own role.').waitFor();
    expect(await page.getByRole('button', { name: 'Delete' }).count()).toBe(0);
  });

  it('a Member who opens a page of Admins is told that it is not for them, and no data comes (contract 1, pages)', async () => {
    const member = await world.person();
    const page = await openAs(browsers, world, member.as, 'api-reference');
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    for (const name of ['users', 'teams', 'api-keys', 'audit', 'command-check', 'settings', 'access']) {
      await page.goto(`/svc/${name}`);
      await page.getByText('Your role does not allow this page').waitFor();
      expect(await page.getByRole('navigation').getByRole('link', { name: 'Users' }).count()).toBe(0);
    }
    await expectAccessible(page);
    const calls = asked
      .filter((path) => path.startsWith('/svc/api/'))
      .map((path) => path.slice('/svc/api'.length));
    const allowed = ['/auth/me', '/auth/options', '/events/ticket', '/events', '/capabilities'];
    expect(calls.filter((path) => !allowed.includes(path))).toEqual([]);
  });

  it('a user who is deactivated in another browser while editing is signed out (specification 3, User)', async () => {
    const other = await world.person('Admin');
    const theirs = await openAs(browsers, world, other.as, 'users?search=rita', { refusals: [401] });
    await theirs.getByRole('button', { name: 'Edit Rita' }).click();
    await theirs.getByRole('dialog').getByLabel('Name').fill('Rita the second');
    const mine = await openAs(browsers, world, world.root.as, `users?search=${other.email}`);
    await (await row(mine, 'Users', other.email)).getByRole('button').click();
    await mine.getByRole('button', { name: 'Deactivate' }).click();
    await mine
      .getByRole('dialog', { name: /^Deactivate / })
      .getByRole('button', { name: 'Deactivate' })
      .click();
    await toasted(mine, 'is no longer active');
    await theirs.waitForURL('**/svc/sign-in*');
    expect((await world.ok('GET', '/users?search=rita', { as: world.root.as }))[0].name).toBe('Rita');
  });

  it('many users come page by page, and the search asks the server', async () => {
    // Inserts rows directly, because every password would have to be hashed.
    const page = await openAs(browsers, world, world.root.as, 'users');
    await page.route('**/svc/api/users?*', async (route) => {
      const query = new URL(route.request().url()).searchParams;
      const from = Number(query.get('before')?.slice(-6) ?? 100_000);
      const limit = Number(query.get('limit'));
      const json = Array.from({ length: limit }, (_, index) => userNumber(from - index - 1));
      await route.fulfill({ json });
    });
    await page.reload();
    await row(page, 'Users', 'user-99999@lab.test');
    for (let round = 0; round < 5; round += 1) await page.getByRole('button', { name: 'Show more' }).click();
    await page.getByText('The first 600 users').waitFor();
    // Only the visible rows are in the document.
    expect(await page.locator('tbody tr').count()).toBeLessThan(100);
    await page.locator('tr[data-index="0"]').focus();
    await page.keyboard.press('End');
    await row(page, 'Users', 'user-99400@lab.test');
    await inspect(page, 'users-many');
  });

  it('a team is made, gets a member and a phone, and cannot be deleted before it is empty (contract 2, /teams)', async () => {
    const page = await openAs(browsers, world, world.root.as, 'teams', { refusals: [400, 409] });
    await page.getByText('No teams yet').waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'New team' }).first().click();
    await page.getByLabel('Name').fill(HOSTILE);
    await page.getByRole('dialog').getByRole('button', { name: 'New team' }).click();
    await toasted(page, 'was created');
    await inspect(page, 'teams');
    await page.getByRole('link', { name: HOSTILE }).click();
    await page.getByRole('heading', { level: 1, name: HOSTILE }).waitFor();
    await expectOnlyText(page);
    await page.getByRole('button', { name: 'Add member' }).click();
    await page.getByRole('dialog').getByRole('searchbox').fill('rita');
    await page.getByRole('button', { name: 'Add Rita' }).click();
    await expectAccessible(page);
    await page.getByText('is in the team').waitFor();
    await page.getByRole('button', { name: 'Close' }).click();
    await row(page, 'Members', 'rita@lab.test');
    await page.getByRole('button', { name: 'Add phone' }).click();
    await page.getByRole('button', { name: 'Move here: Virtual phone 2' }).click();
    await toasted(page, 'belongs to');
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Close' }).click();
    await row(page, 'Phones', 'virtual-2');
    await inspect(page, 'team');
    await page.getByRole('button', { name: 'Delete team' }).click();
    const asks = page.getByRole('dialog', { name: /^Delete / });
    await asks.getByRole('button', { name: 'Delete team' }).click();
    await asks.getByText('It is not empty: 1 members, 1 phones').waitFor();
    await asks.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Share with all: Virtual phone 2' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Share with all' }).click();
    await page.getByText('This team has no phone').waitFor();
    await page.getByRole('button', { name: 'Remove Rita' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByText('This team has no members').waitFor();
    await page.getByRole('button', { name: 'Delete team' }).click();
    await asks.getByRole('button', { name: 'Delete team' }).click();
    await page.getByText('No teams yet').waitFor();
  });

  it('a key is made, its secret shown once, its limit changed, and it is revoked (specification 2, API key)', async () => {
    const page = await openAs(browsers, world, admin.as, 'api-keys', { refusals: [400, 404] });
    await page.getByRole('button', { name: 'New API key' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill(HOSTILE);
    await dialog.getByLabel('devices').check();
    await dialog.getByLabel('Requests per minute').fill('42');
    await dialog.getByLabel('Expires').selectOption('7');
    await inspect(page, 'api-keys-new');
    await dialog.getByRole('button', { name: 'New API key' }).click();
    await dialog.getByText('It is shown only once').waitFor();
    await expectAccessible(page);
    const secret = (await dialog.locator('.secret-once code').textContent()) ?? '';
    const accessKey = (await dialog.locator('code').last().textContent()) ?? '';
    const as = { 'x-svc-access-key': accessKey, 'x-svc-token': secret };
    expect((await world.ok('GET', '/auth/me', { as })).scopes).toEqual(['read', 'sessions', 'devices']);
    await dialog.getByRole('button', { name: 'Done' }).click();
    expect(await page.content()).not.toContain(secret);
    await row(page, 'API keys and tokens', admin.email);
    await expectOnlyText(page);
    await inspect(page, 'api-keys');
    await page.getByRole('button', { name: '42 / min' }).click();
    await page.getByLabel('Requests per minute').fill('77');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: '77 / min' }).waitFor();
    await page.getByRole('button', { name: `Revoke ${HOSTILE}` }).click();
    await page.getByLabel('Also end the tokens that were minted with it').check();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await toasted(page, 'was revoked');
    expect(await world.asks(as)).toBe('401 invalid credentials');
    // The API key of another Admin is visible, but the caller cannot revoke it.
    await world.apiKey(world.root.as, { name: 'of root' });
    await row(page, 'API keys and tokens', 'of root');
    await page.getByRole('button', { name: 'Revoke of root' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('It no longer exists, or it belongs to an Admin').waitFor();
  });

  it('a Super admin makes the key of an identity provider, which has no scopes (contract 10.5)', async () => {
    const page = await openAs(browsers, world, world.root.as, 'api-keys');
    await page.getByRole('button', { name: 'New API key' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Used by').selectOption('scim');
    expect(await dialog.getByLabel('devices').count()).toBe(0);
    await dialog.getByLabel('Name').fill('Entra ID');
    await dialog.getByLabel('Expires').selectOption('never');
    await inspect(page, 'api-keys-new-scim');
    await dialog.getByRole('button', { name: 'New API key' }).click();
    await dialog.getByText('SCIM is off, because SVC_PUBLIC_URL is not set').waitFor();
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Done' }).click();
    const made = await row(page, 'API keys and tokens', 'Entra ID');
    await made.getByText('SCIM key').waitFor();
    await made.getByText('Never ends').waitFor();
    await inspect(page, 'api-keys-scim');
  });
});

function userNumber(number: number) {
  return {
    id: `00000000-0000-4000-8000-000000${String(number).padStart(6, '0')}`,
    email: `user-${number}@lab.test`,
    name: `User ${number}`,
    role: 'Member',
    status: 'Active',
    teams: [],
    createdAt: '2026-01-01T00:00:00.000Z',
    lastSignInAt: null,
  };
}
