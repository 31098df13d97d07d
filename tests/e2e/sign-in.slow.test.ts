import { DEFAULT_ADMIN_EMAIL, DEFAULT_ADMIN_PASSWORD } from '@svc/contract';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startMailServer } from '../accounts/support/smtp.ts';
import { freePort, type RunningServer, signIn, startApi } from '../support/lab.ts';
import { useBrowser } from './support/browser.ts';
import { inspect } from './support/inspect.ts';
import { startPrefixProxy } from './support/prefix-proxy.ts';

const browsers = useBrowser();

const GENEROUS = { SVC_LOGIN_RATE_LIMIT_ATTEMPTS: '1000' };

async function enter(page: Page, email: string, password: string): Promise<void> {
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

describe('a lab with mail', () => {
  let server: RunningServer;
  let smtp: Awaited<ReturnType<typeof startMailServer>>;
  beforeAll(async () => {
    const port = await freePort();
    smtp = await startMailServer({ disabledCommands: ['STARTTLS'] });
    const SVC_PUBLIC_URL = `http://127.0.0.1:${port}`;
    const env = {
      ...GENEROUS,
      PORT: String(port),
      SVC_PUBLIC_URL,
      SVC_SMTP_URL: `smtp://127.0.0.1:${smtp.port}`,
    };
    server = await startApi({ env });
  });
  afterAll(() => server.stop());

  it('/svc/ leads a stranger to the sign-in, and somebody signed in to the devices (contract 1, pages)', async () => {
    const page = await browsers.page();
    await page.goto(`${server.url}/svc/`);
    await page.waitForURL('**/svc/sign-in');
    await enter(page, DEFAULT_ADMIN_EMAIL, DEFAULT_ADMIN_PASSWORD);
    await page.waitForURL('**/svc/devices');
    await page.goto(`${server.url}/svc/`);
    await page.waitForURL('**/svc/devices');
    await page.goto(`${server.url}/svc/sign-in`);
    await page.waitForURL('**/svc/devices');
  });

  it('a wrong password is told beside the form, which keeps the e-mail (specification 5.9.4)', async () => {
    const page = await browsers.page({ refusals: [401] });
    await page.goto(`${server.url}/svc/sign-in`);
    await enter(page, DEFAULT_ADMIN_EMAIL, 'not the password');
    await expect
      .poll(() => page.getByRole('alert').textContent())
      .toContain('e-mail or the password is wrong');
    expect(await page.getByLabel('E-mail').inputValue()).toBe(DEFAULT_ADMIN_EMAIL);
    await inspect(page, 'sign-in-refused');
  });

  it('a password is shown on demand, and Caps Lock is told', async () => {
    const page = await browsers.page();
    await page.goto(`${server.url}/svc/sign-in`);
    const password = page.getByLabel('Password', { exact: true });
    await password.fill('secret words');
    expect(await password.getAttribute('type')).toBe('password');
    await page.getByRole('button', { name: 'Show: Password' }).click();
    expect(await password.getAttribute('type')).toBe('text');
    await password.dispatchEvent('keydown', { key: 'A', modifierCapsLock: true });
    await page.getByText('Caps Lock is on.').waitFor();
    await inspect(page, 'sign-in');
  });

  it('one comes back to where the sign-in had ended, and never to another site', async () => {
    const page = await browsers.page({ refusals: [401] });
    await page.goto(`${server.url}/svc/profile?of=4`);
    await page.waitForURL('**/svc/sign-in?from=profile%3Fof%3D4');
    await enter(page, DEFAULT_ADMIN_EMAIL, DEFAULT_ADMIN_PASSWORD);
    await page.waitForURL('**/svc/profile?of=4');

    const other = await browsers.page();
    await other.goto(`${server.url}/svc/sign-in?from=${encodeURIComponent('https://evil.test/svc/devices')}`);
    await enter(other, DEFAULT_ADMIN_EMAIL, DEFAULT_ADMIN_PASSWORD);
    await other.waitForURL(`${server.url}/svc/devices`);
  });

  it('the pages work below the path of a proxy, with the live line', async () => {
    const outside = await startPrefixProxy(server.url);
    const page = await browsers.page();
    const sockets: string[] = [];
    page.on('websocket', (socket) => sockets.push(socket.url()));
    expect((await page.goto(`${outside}/`))?.status()).toBe(200);
    for (const start of ['/svc', '/svc/']) {
      expect((await page.goto(outside + start))?.status()).toBe(200);
      // Waits for the page's own navigation, because the next navigation would interrupt it.
      await page.waitForURL(`${outside}/svc/sign-in`);
    }
    await enter(page, DEFAULT_ADMIN_EMAIL, DEFAULT_ADMIN_PASSWORD);
    await page.waitForURL(`${outside}/svc/devices`);
    await page.getByRole('button', { name: /^Account of/ }).click();
    await page.getByRole('link', { name: 'Profile' }).click();
    await page.waitForURL(`${outside}/svc/profile`);
    await expect
      .poll(() => sockets.at(-1))
      .toContain(`${outside.replace('http', 'ws')}/svc/api/events?ticket=`);
  });

  it('a password is reset with the link of a real mail; its token leaves the address at once (specification 5.10)', async () => {
    const cookie = await signIn(server.url);
    const email = 'forgetful@lab.test';
    const user = { email, name: 'Forgetful', role: 'Member', password: 'before the reset' };
    expect((await server.api('/users', { method: 'POST', json: user, headers: { cookie } })).status).toBe(
      201,
    );

    const page = await browsers.page({ refusals: [404] });
    await page.goto(`${server.url}/svc/sign-in`);
    await page.getByRole('link', { name: 'Forgot your password?' }).click();
    await page.waitForURL('**/svc/forgot-password');
    await page.getByLabel('E-mail').fill(email);
    await inspect(page, 'forgot-password');
    await page.getByRole('button', { name: 'Send the link' }).click();
    await page.getByRole('heading', { name: 'Check your inbox' }).waitFor();
    await inspect(page, 'forgot-password-sent');

    const { source } = await smtp.next();
    const text = source.replaceAll('=\r\n', '').replaceAll('=3D', '=');
    const link = /http:\/\/\S+\/svc\/reset-password#[\w-]+/.exec(text)?.[0] as string;
    await page.goto(link);
    await page.getByLabel('New password', { exact: true }).waitFor();
    expect(page.url()).toBe(`${server.url}/svc/reset-password`);
    await inspect(page, 'reset-password');
    await page.getByLabel('New password', { exact: true }).fill('after the reset');
    await page.getByLabel('New password again', { exact: true }).fill('something else');
    await page.getByRole('button', { name: 'Set password' }).click();
    await expect.poll(() => page.getByRole('alert').textContent()).toContain('are different');
    await page.getByLabel('New password again', { exact: true }).fill('after the reset');
    await page.getByRole('button', { name: 'Set password' }).click();
    await page.getByRole('heading', { name: 'Your password is set' }).waitFor();
    await inspect(page, 'reset-password-done');
    await page.getByRole('link', { name: 'Go to sign-in' }).click();
    await enter(page, email, 'after the reset');
    await page.waitForURL('**/svc/devices');

    await page.goto(link);
    await page.getByRole('heading', { name: 'This link no longer works' }).waitFor();
    await inspect(page, 'reset-password-invalid');
  });

  it('a temporary password is changed before anything else, whatever page is opened (specification 5.9.1)', async () => {
    const cookie = await signIn(server.url);
    const user = { email: 'new@lab.test', name: 'New', role: 'Admin' };
    const made = await server.api('/users', { method: 'POST', json: user, headers: { cookie } });
    const { temporaryPassword } = (await made.json()) as { temporaryPassword: string };

    const page = await browsers.page({ refusals: [400] });
    await page.goto(`${server.url}/svc/sign-in`);
    await enter(page, user.email, temporaryPassword);
    const title = page.getByRole('heading', { name: 'Choose your own password' });
    await title.waitFor();
    for (const name of ['users', 'profile', 'sessions']) {
      await page.goto(`${server.url}/svc/${name}`);
      await title.waitFor();
      expect(await page.getByRole('navigation').count()).toBe(0);
    }
    await inspect(page, 'own-password-first');
    await page.getByLabel('Temporary password', { exact: true }).fill('wrong');
    await page.getByLabel('New password', { exact: true }).fill('one of my own');
    await page.getByLabel('New password again', { exact: true }).fill('one of my own');
    await page.getByRole('button', { name: 'Change password' }).click();
    await page.getByText('The current password is wrong.').waitFor();
    await page.getByLabel('Temporary password', { exact: true }).fill(temporaryPassword);
    await page.getByRole('button', { name: 'Change password' }).click();
    await page.getByRole('heading', { name: 'Sessions' }).waitFor();
  });
});

describe('a lab without mail', () => {
  let server: RunningServer;
  beforeAll(async () => {
    server = await startApi({
      env: { SVC_LOGIN_RATE_LIMIT_ATTEMPTS: '2', SVC_LOGIN_RATE_LIMIT_WINDOW_MS: '4000' },
    });
  });
  afterAll(() => server.stop());

  it('people are told to ask an administrator (specification 5.10.2)', async () => {
    const page = await browsers.page({ refusals: [404] });
    await page.goto(`${server.url}/svc/sign-in`);
    await page.getByText('Ask an administrator of the lab').waitFor();
    await page.goto(`${server.url}/svc/forgot-password`);
    await page.getByText('This server sends no mail.').waitFor();
    expect(await page.getByRole('textbox').count()).toBe(0);
    await inspect(page, 'forgot-password-admin');
    await page.goto(`${server.url}/svc/reset-password#unknown`);
    await page.getByText('Ask an administrator of the lab for a new link.').waitFor();
    expect(await page.getByRole('link').allTextContents()).toEqual(['Go to sign-in']);
  });

  it('a lock-out counts down, and the form opens again by itself (specification 5.9.3)', async () => {
    const page = await browsers.page({ refusals: [401, 429] });
    await page.goto(`${server.url}/svc/sign-in`);
    const submit = page.getByRole('button', { name: 'Sign in' });
    for (const attempt of ['one', 'two', 'three']) {
      await enter(page, DEFAULT_ADMIN_EMAIL, attempt);
      await expect.poll(() => submit.getAttribute('aria-busy')).toBeNull();
    }
    await page.getByText(/You can try again in \d seconds?\./).waitFor();
    expect(await submit.isDisabled()).toBe(true);
    await page.getByText('You can try again now.').waitFor();
    await enter(page, DEFAULT_ADMIN_EMAIL, DEFAULT_ADMIN_PASSWORD);
    await page.waitForURL('**/svc/devices');
  });
});

describe('a lab with sign-in off', () => {
  let server: RunningServer;
  beforeAll(async () => {
    server = await startApi({ env: { SVC_AUTH_DISABLED: 'true' } });
  });
  afterAll(() => server.stop());

  it('the pages open without a sign-in and say so (specification 5.12)', async () => {
    const page = await browsers.page();
    await page.goto(`${server.url}/svc/`);
    await page.waitForURL('**/svc/devices');
    await page.getByText('Sign-in is off: everyone who can reach this server').waitFor();
    await page.getByRole('button', { name: /^Account of/ }).click();
    await page.getByText('Sign-in is off', { exact: true }).waitFor();
    expect(await page.getByRole('button', { name: 'Sign out' }).count()).toBe(0);
    await inspect(page, 'account-menu-sign-in-off');
    await page.goto(`${server.url}/svc/sign-in`);
    await page.getByRole('link', { name: 'Go to the phones' }).waitFor();
    await inspect(page, 'sign-in-off');
  });
});
