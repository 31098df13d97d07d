import { expect, it } from 'vitest';
import { freshDataDir, type RunningServer, signIn, startApi } from '../support/lab.ts';

const EMAIL = 'root@lab.test';
const PASSWORD = 'the first password';
const FIRST = { SVC_BOOTSTRAP_ADMIN_EMAIL: EMAIL, SVC_BOOTSTRAP_ADMIN_PASSWORD: PASSWORD };
const RESET = { SVC_BOOTSTRAP_RESET_PASSWORD: 'true' };

const me = async (server: RunningServer, cookie: string) =>
  (await server.api('/auth/me', { headers: { cookie } })).status;

it('SVC_BOOTSTRAP_RESET_PASSWORD sets the password of the oldest Super admin and signs it out (spec 5.11)', async () => {
  const dataDir = freshDataDir();
  const first = await startApi({ dataDir, env: FIRST });
  const cookie = await signIn(first.url, EMAIL, PASSWORD);
  await first.stop();

  const env = { ...RESET, SVC_BOOTSTRAP_ADMIN_PASSWORD: 'the second password' };
  const second = await startApi({ dataDir, env });
  await second.line(/SVC_BOOTSTRAP_RESET_PASSWORD is set: .*Remove the variable/);
  expect(await me(second, cookie)).toBe(401);
  const again = await signIn(second.url, EMAIL, 'the second password');
  await second.stop();

  const third = await startApi({ dataDir, env });
  expect(await me(third, again)).toBe(401);
  await third.stop();

  const fourth = await startApi({ dataDir, env: RESET });
  await signIn(fourth.url, EMAIL);
  await fourth.line(/still has the built-in password/);
  await fourth.stop();

  const fifth = await startApi({ dataDir, env: { ...env, SVC_BOOTSTRAP_RESET_PASSWORD: '1' } });
  await expect(signIn(fifth.url, EMAIL, 'the second password')).rejects.toThrow('401');
  await fifth.stop();
});
