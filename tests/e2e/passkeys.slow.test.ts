import { DEFAULT_ADMIN_EMAIL, DEFAULT_ADMIN_PASSWORD } from '@svc/contract';
import type { CDPSession, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ScriptedProvider } from '../conformance/support/scripted-provider.ts';
import { freePort, makeUser, type RunningServer, signIn, startApi } from '../support/lab.ts';
import { useBrowser } from './support/browser.ts';
import { expectAccessible, inspect } from './support/inspect.ts';
import { row, toasted } from './support/people.ts';

const browsers = useBrowser();

let server: RunningServer;
/** Lab in which only Super admins can sign in with a password. */
let broken: RunningServer | undefined;
let baseURL: string;
let root: string;
let provider: ScriptedProvider;
/** Person who is signed in at the provider. */
let person: Record<string, unknown>;

/** Returns the environment of a lab with sign-in through the provider, at a host name where passkeys work. */
async function environment(): Promise<Record<string, string>> {
  const port = await freePort();
  return {
    ...{
      PORT: String(port),
      SVC_PUBLIC_URL: `http://localhost:${port}`,
      SVC_LOGIN_RATE_LIMIT_ATTEMPTS: '1000',
    },
    ...{ SVC_OIDC_ROLES: 'lab=Member', SVC_OIDC_SIGN_UP: 'mapped', ...provider.env },
  };
}

beforeAll(async () => {
  provider = await ScriptedProvider.start();
  // The provider shows no page. It redirects every browser back, signed in as the current person.
  provider.tricks = {
    instead: {
      '/authorize': ({ url = '' }, response) => {
        const asked = new URL(url, provider.url);
        const back = `${asked.searchParams.get('redirect_uri')}?${provider.authorize(asked.href, person)}`;
        response.writeHead(302, { location: back }).end();
      },
    },
  };
  const env = await environment();
  server = await startApi({ env });
  baseURL = env.SVC_PUBLIC_URL ?? '';
  root = await signIn(server.url);
});
afterAll(async () => {
  await Promise.all([server.stop(), broken?.stop()]);
});

/** Adds a virtual authenticator to the page. It confirms immediately, as if the user had touched it. */
async function authenticatorOf(page: Page): Promise<{ cdp: CDPSession; authenticatorId: string }> {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('WebAuthn.enable');
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      ctap2Version: 'ctap2_1',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return { cdp, authenticatorId };
}

/**
 * Deletes the cookies of the browser. It leaves the page first, because a page that is still loading opens the sign-in
 * page when its requests have no cookie, and this would replace the page that the test opens next.
 */
async function forgetSignIn(page: Page): Promise<void> {
  await page.goto('about:blank');
  await page.context().clearCookies();
}

it('a passkey is added on Profile and signs in, and a copy of it is refused (contract 10.2)', async () => {
  const { email, password } = await makeUser(server.url, root, { email: 'keys@lab.test' });
  const page = await browsers.page({ baseURL, refusals: [401] });
  const { cdp, authenticatorId } = await authenticatorOf(page);
  await page.goto('/svc/sign-in?from=profile');
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('button', { name: 'Add a passkey' }).click();
  await page.getByLabel('Name', { exact: true }).fill('my laptop');
  await page.getByRole('dialog').getByRole('button', { name: 'Add a passkey' }).click();
  await page.getByRole('cell', { name: 'my laptop', exact: true }).waitFor();
  await inspect(page, 'profile-passkeys');
  const copied = (await cdp.send('WebAuthn.getCredentials', { authenticatorId })).credentials[0];
  if (copied === undefined) throw new Error('the authenticator has no passkey');

  const open = async () => {
    await forgetSignIn(page);
    await page.goto('/svc/sign-in?from=profile');
  };
  // Remove the note that a passkey of this lab was used in this browser, so that the e-mail field offers no passkey.
  await page.evaluate("localStorage.removeItem('svc-passkey-used')");
  await open();
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
  await page.getByRole('cell', { name: 'my laptop', exact: true }).waitFor();
  // The e-mail field now offers the passkey, and the virtual authenticator accepts the offer without a click.
  await open();
  await page.getByRole('cell', { name: 'my laptop', exact: true }).waitFor();

  await cdp.send('WebAuthn.clearCredentials', { authenticatorId });
  await cdp.send('WebAuthn.addCredential', { authenticatorId, credential: copied });
  await open();
  await page.getByText('The passkey was not accepted.').waitFor();

  const admins = await browsers.page({ baseURL, cookie: root });
  await admins.goto(`/svc/users?search=${email}`);
  await (await row(admins, 'Users', email)).getByRole('button').click();
  await inspect(admins, 'users-passkeys');
  await admins.getByRole('button', { name: 'Delete passkey my laptop' }).click();
  await admins
    .getByRole('dialog', { name: 'Delete passkey my laptop' })
    .getByRole('button', { name: 'Delete' })
    .click();
  await toasted(admins, 'Passkey my laptop is deleted.');
  await admins.getByRole('cell', { name: 'my laptop', exact: true }).waitFor({ state: 'detached' });
});

it('the sign-in page names the provider, and says why a sign-in did not succeed (contract 10.1)', async () => {
  const page = await browsers.page({ baseURL });
  for (const [problem, text] of [
    ['oidc_failed', 'The sign-in did not succeed. Try again.'],
    ['oidc_no_account', 'You have no access to this lab.'],
    ['oidc_link', 'Sign in with its password once within 10 minutes'],
    ['oidc_unavailable', 'The provider does not respond.'],
  ] as const) {
    await page.goto(`/svc/sign-in?problem=${problem}`);
    await page.getByRole('alert').getByText(text).waitFor();
    await page.getByRole('link', { name: 'Sign in with Lab SSO' }).waitFor();
  }
  await inspect(page, 'sign-in-provider');
  await page.goto('/svc/sign-in?problem=<b>other</b>');
  await page.getByRole('link', { name: 'Sign in with Lab SSO' }).waitFor();
  expect(await page.locator('.notice-bad').count()).toBe(0);
});

it('an account is linked by its password, shown to Admins, and unlinked (contract 10.1)', async () => {
  const { email, password } = await makeUser(server.url, root, { email: 'linked@lab.test' });
  person = { sub: 'linked', email, email_verified: true, groups: ['lab'] };
  const page = await browsers.page({ baseURL, refusals: [401] });
  const throughProvider = async () => {
    await page.goto('/svc/sign-in?from=profile');
    await page.getByRole('link', { name: 'Sign in with Lab SSO' }).click();
  };
  await throughProvider();
  await page.getByRole('alert').getByText('An account of the lab has your e-mail address').waitFor();
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.waitForURL('**/svc/devices');
  await forgetSignIn(page);
  await throughProvider();
  await row(page, 'Linked identities', provider.url);
  await inspect(page, 'profile-identities');

  const admins = await browsers.page({ baseURL, cookie: root });
  await admins.goto(`/svc/users?search=${email}`);
  await (await row(admins, 'Users', email)).getByRole('button').click();
  await admins.getByText(`Signs in through ${provider.url}.`).waitFor();
  await admins.getByText('Groups of the provider set the role at each sign-in.').waitFor();
  await admins.getByRole('button', { name: 'Unlink' }).waitFor();
  await inspect(admins, 'users-provider');
  await admins.goto('/svc/settings');
  await admins.getByText(`${baseURL}/svc/api/auth/oidc/callback`).waitFor();
  await admins.getByText(`${baseURL}/svc/oidc/backchannel-logout`).waitFor();

  await page.getByRole('button', { name: `Unlink ${provider.url}` }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Unlink' }).click();
  await toasted(page, 'The identity is unlinked.');
  await page.getByRole('heading', { name: 'Linked identities' }).waitFor({ state: 'detached' });
});

it('nobody unlinks their only way in; with break-glass a password is none, save of Super admins (contract 10.1)', async () => {
  broken = await startApi({ env: { ...(await environment()), SVC_PASSWORD_SIGN_IN: 'break-glass' } });
  const at = `http://localhost:${new URL(broken.url).port}`;
  person = { sub: 'alone', email: 'alone@lab.test', email_verified: true, groups: ['lab'] };
  const page = await browsers.page({ baseURL: at, refusals: [400] });
  await page.goto('/svc/sign-in?from=profile');
  await page.getByText('Sign in with a password', { exact: true }).waitFor();
  expect(await page.getByLabel('E-mail').isVisible()).toBe(false);
  await page.getByRole('link', { name: 'Sign in with Lab SSO' }).click();
  await page.getByRole('button', { name: `Unlink ${provider.url}` }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Unlink' }).click();
  await page.getByText('You could not sign in without it.').waitFor();
  await expectAccessible(page);

  const admin = await browsers.page({ baseURL: at });
  await admin.goto('/svc/sign-in');
  await admin.getByText('Sign in with a password', { exact: true }).click();
  await admin.getByText('Only Super admins can sign in with a password.').waitFor();
  await inspect(admin, 'sign-in-break-glass');
  await admin.getByLabel('E-mail').fill(DEFAULT_ADMIN_EMAIL);
  await admin.getByLabel('Password', { exact: true }).fill(DEFAULT_ADMIN_PASSWORD);
  await admin.getByRole('button', { name: 'Sign in', exact: true }).click();
  await admin.waitForURL('**/svc/devices');
});

it('the sign-in page at 127.0.0.1 links to localhost (contract 10.2)', async () => {
  const page = await browsers.page({ baseURL: server.url });
  await page.goto('/svc/sign-in');
  const link = page.getByRole('link', { name: `localhost:${new URL(server.url).port}` });
  expect(await link.getAttribute('href')).toBe(`${baseURL}/svc/sign-in`);

  // At any other IP address, the page links to the public address.
  const { port } = new URL(server.url);
  await page.route('http://192.0.2.1/**', async (route) => {
    const url = new URL(route.request().url());
    const response = await route.fetch({ url: `${server.url}${url.pathname}${url.search}` });
    // Chromium reports this header as an error on a page without HTTPS.
    const { 'cross-origin-opener-policy': _, ...headers } = response.headers();
    await route.fulfill({ response, headers });
  });
  await page.goto('http://192.0.2.1/svc/sign-in');
  const there = page.getByRole('link', { name: `localhost:${port}` });
  expect(await there.getAttribute('href')).toBe(`${baseURL}/svc/sign-in`);
  // A request that is still on its way would fail in the handler above when the browser closes.
  await page.goto('about:blank');
  await page.unrouteAll({ behavior: 'wait' });
});
