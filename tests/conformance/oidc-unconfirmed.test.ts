import { beforeAll, describe, expect, it } from 'vitest';
import { expectError } from './support/errors.ts';
import { OidcBrowser, startWithProvider } from './support/oidc-browser.ts';
import { ScriptedProvider } from './support/scripted-provider.ts';
import { type Credentials, targets, type World } from './support/world.ts';

/** A sign-up whose ID token does not say whether the e-mail address belongs to the person. */
describe.each(targets)('an unconfirmed e-mail address on $name', ({ start }) => {
  let provider: ScriptedProvider;
  let world: World;

  beforeAll(async () => {
    provider = await ScriptedProvider.start();
    world = await startWithProvider(start, {
      ...provider.env,
      SVC_OIDC_ROLES: 'lab=Member',
      SVC_OIDC_SIGN_UP: 'mapped',
      // No mail server is needed: the audit trail shows whether a link was created.
      SVC_SMTP_URL: 'smtp://127.0.0.1:9',
    });
  });

  /** Requests a reset link for an address, and returns what the audit trail says about it. */
  const request = async (email: string, id: string) => {
    const rows = async () => {
      const { items } = await world.ok('GET', '/audit?event=authn_reset_requested', { as: world.root.as });
      return (items as { target: string; outcome: string; reason: string | null }[]).filter(
        ({ target }) => target === id,
      );
    };
    const before = (await rows()).length;
    expect((await world.api('POST', '/auth/forgot-password', { json: { email } })).status).toBe(204);
    for (;;) {
      const found = await rows();
      if (found.length > before) return found[0]?.reason;
    }
  };

  /** @returns the mark of each user with this address, as Admins see it */
  const marksOf = async (email: string) => {
    const users = await world.ok('GET', `/users?search=${email}`, { as: world.root.as });
    return users.map(({ emailUnconfirmed }: { emailUnconfirmed?: boolean }) => emailUnconfirmed);
  };

  it('an unconfirmed e-mail address gets no reset link until an Admin creates one by hand (contract 10.1)', async () => {
    const email = 'not-mine@lab.test';
    const browser = new OidcBrowser(world);
    await browser.signIn(provider, { sub: 'stranger', email, name: 'Stranger', groups: ['lab'] });
    const { id } = await world.ok('GET', '/auth/me', { as: browser.as });
    expect(await request(email, id)).toBe('e-mail address not confirmed');
    const answer = await world.ok('POST', `/users/${id}/reset-link`, { as: world.root.as });
    expect(answer).toMatchObject({ emailed: true });
    const { items } = await world.ok('GET', '/audit?event=authn_reset_link_created', { as: world.root.as });
    expect(items[0]).toMatchObject({ target: id, reason: 'confirms the e-mail address' });
    expect(await request(email, id)).toBeNull();
  });

  it('an unconfirmed e-mail address is marked for Admins, who confirm it, except their own and those of higher roles (contract 10.1)', async () => {
    const browser = new OidcBrowser(world);
    await browser.signIn(provider, {
      sub: 'marked',
      email: 'marked@lab.test',
      name: 'Marked',
      groups: ['lab'],
    });
    const { id } = await world.ok('GET', '/auth/me', { as: browser.as });
    const marks = () => marksOf('marked@lab.test');
    expect(await marks()).toEqual([true]);
    const confirm = (as: Credentials, json: object = { emailConfirmed: true }) =>
      world.api('PATCH', `/users/${id}`, { as, json });
    expect((await confirm(browser.as)).status).toBe(403);
    expect((await confirm(world.root.as, { emailConfirmed: false })).status).toBe(400);
    await world.ok('PATCH', `/users/${id}`, { as: world.root.as, json: { role: 'Admin' } });
    expectError(await confirm(browser.as), 'cannot_change_yourself');
    const admin = await world.person('Admin');
    expectError(await confirm(admin.as), 'role_exceeds_yours');
    expect(await marks()).toEqual([true]);
    expect((await confirm(world.root.as)).body.emailUnconfirmed).toBeUndefined();
    expect(await marks()).toEqual([undefined]);
    const { items } = await world.ok('GET', '/audit?event=user_updated', { as: world.root.as });
    expect(items[0]).toMatchObject({ target: id, reason: 'e-mail address confirmed' });
  });

  it('an unconfirmed e-mail address is confirmed by a later sign-in of the person only if the provider verified this very address (contract 10.1)', async () => {
    const email = 'later@lab.test';
    const browser = new OidcBrowser(world);
    const person = { sub: 'later', email, name: 'Later', groups: ['lab'] };
    await browser.signIn(provider, person);
    const { id } = await world.ok('GET', '/auth/me', { as: browser.as });
    for (const claims of [{ email_verified: false }, { email: 'other@lab.test', email_verified: true }, {}]) {
      await new OidcBrowser(world).signIn(provider, { ...person, ...claims });
      expect(await marksOf(email)).toEqual([true]);
    }
    await new OidcBrowser(world).signIn(provider, { ...person, email_verified: true });
    expect(await marksOf(email)).toEqual([undefined]);
    const { items } = await world.ok('GET', '/audit?event=user_updated', { as: world.root.as });
    expect(items[0]).toMatchObject({ target: id, reason: 'e-mail address confirmed, by the provider' });
  });

  it('an unconfirmed e-mail address is none if the provider says that the address is verified (contract 10.1)', async () => {
    const email = 'mine@lab.test';
    const browser = new OidcBrowser(world);
    const person = { sub: 'owner', email, email_verified: true, name: 'Owner', groups: ['lab'] };
    await browser.signIn(provider, person);
    const { id } = await world.ok('GET', '/auth/me', { as: browser.as });
    expect(await request(email, id)).toBeNull();
  });
});
