import { createRequire } from 'node:module';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { freshDataDir, signIn, startApi } from '../support/lab.ts';
import { svc } from './support/svc-command.ts';

it('a command on the host takes the password from standard input, held to the rules of every other', async () => {
  const server = await startApi();
  const reset = (input: string) =>
    svc(server.dataDir, ['admin', 'reset-password', 'admin@svc.local', '--password-stdin'], input);
  expect(await reset('password1\n')).toMatchObject({ code: 1, stdout: '' });
  expect(await reset('a password of tests\n')).toMatchObject({ code: 0, stdout: '' });
  await signIn(server.url, 'admin@svc.local', 'a password of tests');
  await server.stop();
});

it('a command on the host says what is wrong and changes nothing', async () => {
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

it('svc audit head is what svc audit verify prints, and a cut end shows (contract 2, /audit)', async () => {
  const server = await startApi();
  const { dataDir } = server;
  await signIn(server.url);
  await server.stop();
  const verified = await svc(dataDir, ['audit', 'verify']);
  expect(verified.code).toBe(0);
  const [count, hash] = (await svc(dataDir, ['audit', 'head'])).stdout.split(' ');
  expect(verified.stdout).toContain(`Rows: ${count}\nHead: ${hash}\n`);
  expect(verified.stdout).toContain('This check cannot detect');
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
