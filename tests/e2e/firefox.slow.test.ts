import { DEFAULT_ADMIN_EMAIL, DEFAULT_ADMIN_PASSWORD } from '@svc/contract';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type RunningServer, startApi } from '../support/lab.ts';
import { type Firefox, startFirefox } from './support/firefox.ts';
import { PAGE_TITLES } from './support/page-list.ts';

let server: RunningServer;
let firefox: Firefox;
beforeAll(async () => {
  [server, firefox] = await Promise.all([startApi(), startFirefox()]);
});
afterAll(() => server?.stop());

/** Waits until the expression is true in the page. */
const until = (expression: string) =>
  expect.poll(() => firefox.evaluate(expression), { timeout: 30_000, interval: 50 }).toBe(true);
const has = (selector: string) => `document.querySelector(${JSON.stringify(selector)}) !== null`;
const isAt = (page: string) => `location.pathname === '/svc/${page}'`;
const press = (selector: string) =>
  firefox.evaluate(`document.querySelector(${JSON.stringify(selector)}).click()`);
const type = (name: string, text: string) =>
  firefox.evaluate(`{
    const input = document.querySelector('[name=${name}]');
    input.value = ${JSON.stringify(text)};
    input.dispatchEvent(new Event('input', { bubbles: true }));
  }`);

it('(contract 1, pages) Firefox signs in, opens every page, keeps the live line, signs out, and breaks no policy', async () => {
  await firefox.goto(`${server.url}/svc/sign-in?from=profile`);
  await until(has('[name=password]'));
  await type('email', DEFAULT_ADMIN_EMAIL);
  await type('password', DEFAULT_ADMIN_PASSWORD);
  await press('[type=submit]');
  await until(`${isAt('profile')} && ${has('table')}`);
  // The policy allows the socket, because the server's refusal of the ticket arrives.
  const tried = await firefox.evaluate(`new Promise((done) => {
    const socket = new WebSocket(location.origin.replace('http', 'ws') + '/svc/api/events?ticket=none');
    addEventListener('securitypolicyviolation', () => done('blocked'));
    socket.onerror = () => done('refused by the server');
  })`);
  expect(tried).toBe('refused by the server');
  expect(firefox.takeErrors().filter((text) => !text.includes('can’t establish a connection'))).toEqual([]);

  for (const [page, title] of Object.entries(PAGE_TITLES)) {
    await firefox.goto(`${server.url}/svc/${page}`);
    await until(
      `document.querySelector('h1')?.textContent === ${JSON.stringify(title)} && !(${has('.state-loading')})`,
    );
    expect(await firefox.evaluate(has('.state-error, [role=alert] p')), page).toBe(false);
    expect(firefox.takeErrors(), page).toEqual([]);
  }

  await press('[aria-label^="Account of"]');
  await firefox.evaluate(
    `[...document.querySelectorAll('.menu-panel button')].find((each) => each.textContent === 'Sign out').click()`,
  );
  await until(isAt('sign-in'));
  await firefox.goto(`${server.url}/svc/users`);
  await until(isAt('sign-in'));
  // The only error is the refusal of the page that needs a sign-in.
  expect(firefox.takeErrors().filter((text) => !/401/.test(text))).toEqual([]);
}, 60_000);
