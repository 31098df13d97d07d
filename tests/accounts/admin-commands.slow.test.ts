import { createRequire } from 'node:module';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { freshDataDir, makeToken, makeUser, signIn, startApi } from '../support/lab.ts';
import { bodyOf } from './support/json.ts';
import { me, svc } from './support/svc-command.ts';

it('svc admin reset-password gets a locked-out Super admin back in while the server runs', async () => {
  const server = await startApi();
  const cookie = await signIn(server.url);
  const pair = await makeToken(server.url, cookie);
  const minted = await server.api('/auth/token', { method: 'POST', headers: { cookie }, json: {} });
  const bearer = { authorization: `Bearer ${(await bodyOf(minted)).token}` };
  const boss = await makeUser(server.url, cookie, { email: 'boss@lab.test', role: 'Super admin' });
  const me0 = await bodyOf(server.api('/auth/me', { headers: { cookie } }));
  const made = await server.api(`/users/${me0.id}/reset-link`, {
    method: 'POST',
    headers: { cookie: boss.cookie },
  });
  const token = (await bodyOf(made)).link.split('#')[1];

  const { code, stdout, output } = await svc(server.dataDir, ['admin', 'reset-password', 'ADMIN@svc.local']);
  expect(code, output).toBe(0);
  expect(stdout).toMatch(/^(\w{4}-){3}\w{4}$/);

  expect(await me(server, { cookie })).toBe(401);
  expect(await me(server, bearer)).toBe(401);
  expect(await me(server, { ...pair.headers })).toBe(200);
  expect(await me(server, { cookie: boss.cookie })).toBe(200);
  const check = await server.api('/auth/reset-password/check', { method: 'POST', json: { token } });
  expect(check.status).toBe(404);

  const again = { cookie: await signIn(server.url, 'admin@svc.local', stdout) };
  const who = await bodyOf(server.api('/auth/me', { headers: again }));
  expect(who.passwordChangeRequired).toBe(true);
  const { items } = await bodyOf(server.api('/audit', { headers: again }));
  const row = items.find((item: { reason: string }) => item.reason?.startsWith('svc admin reset-password'));
  expect(row).toMatchObject({ event: 'authn_password_change', outcome: 'success', target: who.id });
  expect(server.output()).not.toContain(stdout);
  await server.stop();
});

it('svc audit verify names the first broken row, and svc migrate makes the tables', async () => {
  const dataDir = freshDataDir();
  expect((await svc(dataDir, ['audit', 'verify'])).code).toBe(1);
  expect((await svc(dataDir, ['migrate', '--yes'])).code).toBe(0);
  const server = await startApi({ dataDir });
  await signIn(server.url);
  await signIn(server.url);
  expect((await svc(dataDir, ['audit', 'verify'])).code).toBe(0);
  const Database = createRequire(createRequire(import.meta.url).resolve('@svc/store-sqlite'))(
    'better-sqlite3',
  );
  const database = new Database(join(dataDir, 'svc.db'));
  database.exec("update audit set reason = 'nothing to see' where number = 2");
  const { id } = database.prepare('select id from audit where number = 2').get();
  database.close();
  const { code, stdout } = await svc(dataDir, ['audit', 'verify']);
  expect(code).toBe(1);
  expect(stdout).toContain(`row ${id} `);
  await server.stop();
});
