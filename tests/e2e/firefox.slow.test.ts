import { DEFAULT_ADMIN_EMAIL, DEFAULT_ADMIN_PASSWORD } from '@svc/contract';
import { expect, it } from 'vitest';
import { startApi } from '../support/lab.ts';
import { startFirefox } from './support/firefox.ts';

it('Firefox signs in, keeps the live line and breaks no policy', async () => {
  const [server, firefox] = await Promise.all([startApi(), startFirefox()]);
  const type = (name: string, text: string) =>
    firefox.evaluate(`{
      const input = document.querySelector('[name=${name}]');
      input.value = ${JSON.stringify(text)};
      input.dispatchEvent(new Event('input', { bubbles: true }));
    }`);
  const has = (selector: string) =>
    firefox.evaluate(`document.querySelector(${JSON.stringify(selector)}) !== null`);

  await firefox.goto(`${server.url}/svc/sign-in`);
  await expect.poll(() => has('[name=password]'), { timeout: 30_000 }).toBe(true);
  await type('email', DEFAULT_ADMIN_EMAIL);
  await type('password', DEFAULT_ADMIN_PASSWORD);
  await firefox.evaluate(`document.querySelector('[type=submit]').click()`);
  await expect.poll(() => firefox.evaluate('location.pathname'), { timeout: 30_000 }).toBe('/svc/devices');
  await firefox.goto(`${server.url}/svc/profile`);
  await expect.poll(() => has('table'), { timeout: 30_000 }).toBe(true);
  // The policy lets the socket through: it is open before the page would say that it is lost.
  await expect
    .poll(() =>
      firefox.evaluate(
        `performance.getEntriesByType('resource').some(({ name }) => name.includes('/events/ticket'))`,
      ),
    )
    .toBe(true);
  const tried = await firefox.evaluate(`new Promise((done) => {
    const socket = new WebSocket(location.origin.replace('http', 'ws') + '/svc/api/events?ticket=none');
    addEventListener('securitypolicyviolation', () => done('blocked'));
    socket.onerror = () => done('refused by the server');
  })`);
  expect(tried).toBe('refused by the server');
  expect(firefox.errors.filter((text) => !text.includes('can’t establish a connection'))).toEqual([]);
  await server.stop();
}, 150_000);
