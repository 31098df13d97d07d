import { expect, it } from 'vitest';
import { freshDataDir, type RunningServer, signIn, startApi } from '../support/lab.ts';
import { bodyOf } from './support/json.ts';

const EMAIL = 'root@lab.test';
const PASSWORD = 'the first password';
const FIRST = { SVC_BOOTSTRAP_ADMIN_EMAIL: EMAIL, SVC_BOOTSTRAP_ADMIN_PASSWORD: PASSWORD };
const _RESET = { SVC_BOOTSTRAP_RESET_PASSWORD: 'true' };

const me = async (server: RunningServer, cookie: string) =>
  (await server.api('/auth/me', { headers: { cookie } })).status;

it('the first start makes the account asked for; later starts leave it alone (spec 5.9.1)', async () => {
  const dataDir = freshDataDir();
  const first = await startApi({ dataDir, env: FIRST });
  const cookie = await signIn(first.url, EMAIL, PASSWORD);
  expect(first.output()).not.toContain('built-in password');
  await first.stop();
  const second = await startApi({
    dataDir,
    env: { SVC_BOOTSTRAP_ADMIN_EMAIL: 'x@lab.test', SVC_BOOTSTRAP_ADMIN_PASSWORD: 'another password' },
  });
  expect(await me(second, cookie)).toBe(200);
  await expect(signIn(second.url, 'x@lab.test', 'another password')).rejects.toThrow('401');
  await second.stop();
});

it('SVC_AUTH_DISABLED=true: everybody is a Super admin, the log and the pages say so (spec 5.12)', async () => {
  const server = await startApi({ env: { SVC_AUTH_DISABLED: 'true' } });
  await server.line(/Authentication is DISABLED/);
  const answer = await fetch(`${server.url}/svc/api/users`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'a@lab.test', name: 'A', role: 'Super admin' }),
  });
  expect(answer.status).toBe(201);
  const who = await bodyOf(fetch(`${server.url}/svc/api/auth/me`));
  expect(who).toMatchObject({ role: 'Super admin', kind: 'none', authDisabled: true });
  const options = await bodyOf(fetch(`${server.url}/svc/api/auth/options`));
  expect(options.authDisabled).toBe(true);
  await server.stop();
});
