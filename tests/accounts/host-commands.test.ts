import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import {
  freshDataDir,
  makeToken,
  makeUser,
  type RunningServer,
  runNode,
  signIn,
  startApi,
} from '../support/lab.ts';
import { bodyOf } from './support/json.ts';

const CLI = join(dirname(createRequire(import.meta.url).resolve('@svc/api/main.js')), 'cli.js');

/** Runs `svc …` on the folder of a server; `input` goes to its standard input. */
async function svc(dataDir: string, args: readonly string[], input?: string) {
  const env = { SVC_DATA_DIR: dataDir, SVC_BCRYPT_COST: '10' };
  if (input === undefined) {
    const program = runNode(CLI, { env, args });
    const { code } = await program.exited;
    return { code, stdout: program.stdout().trim(), output: program.output() };
  }
  const { spawnSync } = await import('node:child_process');
  const done = spawnSync(process.execPath, [CLI, ...args], { input, env: { ...process.env, ...env } });
  return { code: done.status, stdout: String(done.stdout).trim(), output: String(done.stderr) };
}

const me = async (server: RunningServer, headers: Record<string, string>) =>
  (await server.api('/auth/me', { headers })).status;

it('(issue 6) svc admin reset-password gets a locked-out Super admin back in while the server runs', async () => {
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

it('(issue 6) takes the password from standard input, held to the rules of every other', async () => {
  const server = await startApi();
  const reset = (input: string) =>
    svc(server.dataDir, ['admin', 'reset-password', 'admin@svc.local', '--password-stdin'], input);
  expect(await reset('password1\n')).toMatchObject({ code: 1, stdout: '' });
  expect(await reset('a password of tests\n')).toMatchObject({ code: 0, stdout: '' });
  await signIn(server.url, 'admin@svc.local', 'a password of tests');
  await server.stop();
});

it('(issue 6) says what is wrong and changes nothing', async () => {
  const server = await startApi();
  const unknown = await svc(server.dataDir, ['admin', 'reset-password', 'nobody@lab.test']);
  expect(unknown).toMatchObject({ code: 1, stdout: '' });
  expect(unknown.output).toContain('nobody@lab.test');
  expect((await svc(server.dataDir, ['admin'])).code).toBe(2);
  expect((await svc(server.dataDir, ['--nonsense'])).code).toBe(2);
  await signIn(server.url);
  await server.stop();
  const nowhere = await svc(freshDataDir(), ['admin', 'reset-password', 'admin@svc.local']);
  expect(nowhere.code).toBe(1);
  expect(nowhere.output).not.toContain('SVC_AUTO_MIGRATE');
});

it('(issue 6) svc audit verify names the first broken row, and svc migrate makes the tables', async () => {
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

it('(contract 2, /audit) svc audit head is what svc audit verify prints, and a cut end shows', async () => {
  const server = await startApi();
  const { dataDir } = server;
  await signIn(server.url);
  await server.stop();
  const verified = await svc(dataDir, ['audit', 'verify']);
  expect(verified.code).toBe(0);
  const [count, hash] = (await svc(dataDir, ['audit', 'head'])).stdout.split(' ');
  expect(verified.stdout).toContain(`Rows: ${count}\nHead: ${hash}\n`);
  expect(verified.stdout).toContain('This cannot show');
  const Database = createRequire(createRequire(import.meta.url).resolve('@svc/store-sqlite'))(
    'better-sqlite3',
  );
  const database = new Database(join(dataDir, 'svc.db'));
  database.exec('delete from audit where number = (select max(number) from audit)');
  database.close();
  const cut = await svc(dataDir, ['audit', 'verify']);
  expect(cut.code).toBe(1);
  expect(cut.stdout).toContain('the end of the chain is missing');
});
