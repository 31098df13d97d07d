import { DEFAULT_ADMIN_EMAIL, DEFAULT_ADMIN_PASSWORD } from '@svc/contract';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type RunningServer, request, signIn, startApi, startLab } from '../support/lab.ts';
import { read } from '../support/records.ts';
import { createSession, makePerson, pairOf } from '../support/sessions.ts';
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

it('Firefox signs in, opens every page, keeps the live line, signs out, and breaks no policy (contract 1, pages)', async () => {
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

it('Firefox plays a recording by its player and opens the moment of a link (contract 11)', async () => {
  const lab = await startLab({ env: { SVC_RECORDING: 'all', SVC_LAB_LOG_LEVEL: 'error' } });
  try {
    const root = await signIn(lab.url);
    const ana = await makePerson(lab, root, 'ana@lab.test');
    const id: string = (await createSession(lab.url, pairOf(ana))).body.value.sessionId;
    const send = (method: string, path: string) =>
      request(`${lab.url}/session/${id}${path}`, { method, headers: ana.headers });
    await send('GET', '/orientation');
    await expect
      .poll(
        async () => (await read<{ pictures: number }>(lab, ana.headers, `/session/${id}/recording`)).pictures,
      )
      .toBeGreaterThan(2);
    await send('DELETE', '');

    await firefox.goto(`${lab.url}/svc/sign-in`);
    await until(has('[name=password]'));
    await type('email', DEFAULT_ADMIN_EMAIL);
    await type('password', DEFAULT_ADMIN_PASSWORD);
    await press('[type=submit]');
    await until(isAt('devices'));
    await firefox.goto(`${lab.url}/svc/sessions?id=${id}`);
    const drawn = `document.querySelector('.recorded-screen canvas:not([hidden])')?.toDataURL() ?? ''`;
    const slider = `document.querySelector('[aria-label="Moment of the recording"], input[type=range]')`;
    await until(`${slider} !== null`);
    await firefox.evaluate(`{
      ${slider}.value = ${slider}.max;
      ${slider}.dispatchEvent(new Event('input', { bubbles: true }));
    }`);
    await until(`(${drawn}) !== '' && location.hash.startsWith('#at=')`);
    const link = await firefox.evaluate('location.href');
    const atEnd = await firefox.evaluate(`${slider}.value`);
    await firefox.goto(`${lab.url}/svc/devices`);
    await firefox.goto(String(link));
    await until(`(${drawn}) !== '' && ${slider}.value === ${JSON.stringify(atEnd)}`);
    expect(firefox.takeErrors()).toEqual([]);
  } finally {
    await lab.stop();
  }
}, 90_000);
