import { beforeAll, describe, expect, it } from 'vitest';
import { type MailServer, startMailServer } from '../accounts/support/smtp.ts';
import { OidcBrowser, startWithProvider } from './support/oidc-browser.ts';
import { ScriptedProvider } from './support/scripted-provider.ts';
import { targets, type World } from './support/world.ts';

describe.each(targets)('SVC_PASSWORD_SIGN_IN=break-glass on $name', ({ start }) => {
  const password = 'a password that is right';
  let mail: MailServer;
  let world: World;
  let provider: ScriptedProvider;

  beforeAll(async () => {
    mail = await startMailServer({ disabledCommands: ['STARTTLS', 'AUTH'] });
    provider = await ScriptedProvider.start();
    world = await startWithProvider(start, {
      ...provider.env,
      SVC_PASSWORD_SIGN_IN: 'break-glass',
      SVC_OIDC_LINK: 'verified-email',
      SVC_SMTP_URL: `smtp://127.0.0.1:${mail.port}`,
    });
    for (const role of ['Member', 'Admin', 'Super admin']) {
      const json = { email: `${role.replace(' ', '-')}@lab.test`, name: role, role, password };
      await world.ok('POST', '/users', { as: world.root.as, json });
    }
  });
  const login = (email: string, secret: string) =>
    world.api('POST', '/auth/login', { json: { email, password: secret } });

  it('SVC_PASSWORD_SIGN_IN=break-glass is shown to the sign-in page (contract 10)', async () => {
    expect((await world.api('GET', '/auth/options')).body).toMatchObject({ passwordSignIn: false });
  });

  it('SVC_PASSWORD_SIGN_IN=break-glass signs in Super admins alone, and tells nobody that the password is right (contract 10.1)', async () => {
    expect((await login('super-admin@lab.test', password)).status).toBe(204);
    const wrong = await login('super-admin@lab.test', 'wrong');
    for (const email of ['member@lab.test', 'admin@lab.test']) {
      const right = await login(email, password);
      expect([right.status, right.text]).toEqual([wrong.status, wrong.text]);
      expect(right.body).toEqual({ error: 'invalid credentials' });
      expect(right.headers['set-cookie']).toBeUndefined();
    }
  });

  it('mails reset links to Super admins alone (contract 10.1)', async () => {
    for (const email of ['member@lab.test', 'admin@lab.test', 'super-admin@lab.test']) {
      const { status } = await world.api('POST', '/auth/forgot-password', { json: { email } });
      expect(status).toBe(204);
    }
    expect((await mail.next()).to).toEqual(['Super-admin@lab.test']);
    const users = (await world.ok('GET', '/users', { as: world.root.as })) as { id: string; role: string }[];
    const linkFor = (role: string) => {
      const id = users.find((user) => user.role === role && user.id !== world.root.id)?.id;
      return world.ok('POST', `/users/${id}/reset-link`, { as: world.root.as });
    };
    expect(await linkFor('Member')).toMatchObject({ emailed: false, link: expect.any(String) });
    expect(await linkFor('Super admin')).toMatchObject({ emailed: true });
    expect((await mail.next()).to).toEqual(['Super-admin@lab.test']);
  });

  it('SVC_PASSWORD_SIGN_IN=break-glass links a verified e-mail at once, but never that of a Super admin (contract 10.1)', async () => {
    const arrive = (email: string, email_verified: unknown) =>
      new OidcBrowser(world).signIn(provider, { sub: `${email} ${email_verified}`, email, email_verified });
    const link = '/svc/sign-in?problem=oidc_link';
    for (const verified of [false, undefined, 'false', 1])
      expect(await arrive('member@lab.test', verified)).toBe(link);
    expect(await arrive('super-admin@lab.test', true)).toBe(link);
    expect(await arrive('member@lab.test', true)).toBe('/svc/devices');
    expect(await arrive('admin@lab.test', true)).toBe('/svc/devices');
    const invited = { email: 'invited@lab.test', name: 'Invited', role: 'Member' };
    await world.ok('POST', '/users', { as: world.root.as, json: invited });
    const browser = new OidcBrowser(world);
    await browser.signIn(provider, { sub: 'invited', email: invited.email, email_verified: true });
    const me = await world.ok('GET', '/auth/me', { as: browser.as });
    expect(me).toMatchObject({
      email: invited.email,
      passwordIsTemporary: false,
      passwordChangeRequired: false,
    });
    expect(await arrive('unknown@lab.test', true)).toBe('/svc/sign-in?problem=oidc_no_account');
  });
});

describe.each(targets)('without a provider on $name', ({ start }) => {
  it('the routes of the sign-in are unknown, and the options say so (contract 10)', async () => {
    const world = await startWithProvider(start, {});
    expect((await world.api('GET', '/auth/options')).body).toMatchObject({
      oidc: null,
      labName: null,
      labLogo: null,
      passwordSignIn: true,
    });
    for (const path of ['/auth/oidc/start', '/auth/oidc/callback?code=x&state=y'])
      expect((await world.api('GET', path)).status).toBe(404);
    expect((await world.ok('GET', '/auth/oidc/setup', { as: world.root.as })).active).toBe(false);
  });
});
