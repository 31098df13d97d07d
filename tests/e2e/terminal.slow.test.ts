import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeUser, type RunningServer, signIn, startApi } from '../support/lab.ts';
import { useBrowser } from './support/browser.ts';
import { inspect } from './support/inspect.ts';

const browsers = useBrowser();
const SVC = fileURLToPath(new URL('../../apps/cli/dist/main.js', import.meta.url));

let server: RunningServer;
let root: string;
const home = mkdtempSync(join(tmpdir(), 'svc-home-'));
const children = new Set<ChildProcess>();

beforeAll(async () => {
  server = await startApi({ env: { SVC_LOGIN_RATE_LIMIT_ATTEMPTS: '1000' } });
  root = await signIn(server.url);
});
afterAll(async () => {
  for (const child of children) child.kill();
  await server.stop();
  rmSync(home, { recursive: true });
});

/** Runs a command of `svc`. `printed` resolves to the first match of a pattern in its standard output. */
function svc(...args: string[]) {
  const child = spawn(process.execPath, [SVC, ...args], { env: { PATH: process.env.PATH, HOME: home } });
  children.add(child);
  let output = '';
  const looks = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      for (const look of looks) look();
    });
  }
  const printed = (pattern: RegExp) =>
    new Promise<string>((found) => {
      const look = () => {
        const match = pattern.exec(output)?.[0];
        if (match === undefined) return;
        looks.delete(look);
        found(match);
      };
      looks.add(look);
      look();
    });
  const ended = once(child, 'close').then(([code]) => ({ code, output }));
  return { printed, ended };
}

it('signs in a terminal with the link that it prints, after a sign-in in the browser (contract 10.7)', async () => {
  const { email, password } = await makeUser(server.url, root, { email: 'terminal@lab.test' });
  const login = svc('login', server.url, '--name', 'my laptop');
  const link = await login.printed(/http\S+user_code=\S+/);
  const page = await browsers.page({ baseURL: server.url, refusals: [401] });
  await page.goto(link);
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.keyboard.press('Enter');

  const code = page.getByLabel('Code');
  await code.waitFor();
  expect(await code.inputValue()).toBe(new URL(link).searchParams.get('user_code'));
  await inspect(page, 'device');
  await code.press('Enter');
  await page.getByText('my laptop').waitFor();
  await page.getByText('127.0.0.1').waitFor();
  await page.getByText('if someone sent you this code').waitFor();
  await inspect(page, 'device-decide');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  expect(await page.locator(':focus').textContent()).toBe('Approve');
  await page.keyboard.press('Enter');
  await page.getByText('my laptop is signed in').waitFor();

  const { code: exit, output } = await login.ended;
  expect(exit, output).toBe(0);
  const stored = JSON.parse(readFileSync(join(home, '.config/svc/credentials.json'), 'utf8'));
  expect(Object.keys(stored)).toEqual([server.url]);
  expect((await svc('whoami').ended).output).toContain(email);

  await page.getByRole('link', { name: 'Show my tokens' }).click();
  await page.getByText('my laptop').waitFor();
  expect(await svc('logout').ended).toEqual({ code: 0, output: `Signed out of ${server.url}\n` });
  await page.reload();
  await page.getByText('No tokens yet').waitFor();
});

it('the page of a terminal sign-in says that a code is unknown, and that the user denied a terminal (contract 10.7)', async () => {
  const { cookie } = await makeUser(server.url, root, { email: 'denier@lab.test' });
  const page = await browsers.page({ baseURL: server.url, cookie, refusals: [404] });
  await page.goto('/svc/device');
  await page.getByLabel('Code').fill('bbbbbbbb');
  await page.getByRole('button', { name: 'Check the code' }).click();
  await page.getByRole('alert').filter({ hasText: 'There is no terminal with this code' }).waitFor();

  const login = svc('login', server.url);
  const code = (await login.printed(/[A-Z]{4}-[A-Z]{4}(?=\n)/)).replace('-', '').toLowerCase();
  await page.getByLabel('Code').fill(code);
  await page.getByRole('button', { name: 'Check the code' }).click();
  await page.getByRole('button', { name: 'Deny' }).click();
  await page.getByText('The terminal gets no token').waitFor();
  const { code: exit, output } = await login.ended;
  expect([exit, output.includes('denied')]).toEqual([1, true]);
});
