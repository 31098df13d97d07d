import type { CDPSession, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeUser, type RunningServer, signIn, startApi } from '../support/lab.ts';
import { useBrowser } from './support/browser.ts';
import { inspect } from './support/inspect.ts';

const browsers = useBrowser();

let server: RunningServer;
let baseURL: string;
let root: string;
beforeAll(async () => {
  server = await startApi({ env: { SVC_LOGIN_RATE_LIMIT_ATTEMPTS: '1000' } });
  baseURL = `http://localhost:${new URL(server.url).port}`;
  root = await signIn(server.url);
});
afterAll(() => server.stop());

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

it('(contract 10.2) a passkey is added on Profile and signs in, and a copy of it is refused', async () => {
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
    await page.context().clearCookies();
    await page.goto('/svc/sign-in?from=profile');
  };
  // Make the browser look like one that has not used a passkey of this lab, so that the e-mail field offers none.
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
});

it('(contract 10.2) at 127.0.0.1 the sign-in page links to localhost', async () => {
  const page = await browsers.page({ baseURL: server.url });
  await page.goto('/svc/sign-in');
  const link = page.getByRole('link', { name: `localhost:${new URL(server.url).port}` });
  expect(await link.getAttribute('href')).toBe(`${baseURL}/svc/sign-in`);
});
