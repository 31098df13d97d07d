import { existsSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { svc } from '../accounts/support/svc-command.ts';
import { freshDataDir, makeUser, runNode, signIn, startApi } from '../support/lab.ts';
import { contentOf, makeRelease, rawDatabase } from './support/databases.ts';

const CLI = createRequire(import.meta.url).resolve('@svc/cli/main.js');
const KILLS = 4;

it('a backup of a server at work holds all it had answered, and starts again (specification 9.1.3)', async () => {
  const server = await startApi();
  const { dataDir } = server;
  const root = await signIn(server.url);
  let answered = 0;
  let isOver = false;
  const work = (async () => {
    while (!isOver) {
      await makeUser(server.url, root, { email: `user-${answered}@lab.test` });
      answered += 1;
    }
  })();
  await expect.poll(() => answered, { timeout: 30_000 }).toBeGreaterThan(1);
  const known = answered;
  const { stdout } = await svc(dataDir, ['backup']);
  isOver = true;
  await work;
  await server.stop();
  expect(await svc(dataDir, ['backup', 'verify', stdout])).toMatchObject({ code: 0 });
  expect(await svc(dataDir, ['restore', stdout, '--yes'])).toMatchObject({ code: 0 });
  expect(await svc(dataDir, ['audit', 'verify'])).toMatchObject({ code: 0 });
  const again = await startApi({ dataDir });
  await signIn(again.url, `user-${known - 1}@lab.test`, 'a password for tests');
  await again.stop();
});

it('svc backup killed at random moments leaves no half backup (specification 9.1.3)', {
  timeout: 180_000,
}, async () => {
  const dataDir = freshDataDir();
  makeRelease('current', dataDir, ['--accounts', '2000', '--tokens', '40000']);
  const took = await timeOf(dataDir, ['backup']);
  for (let kill = 0; kill < KILLS; kill += 1) {
    await killed(dataDir, ['backup'], took, kill);
  }
  expect(await svc(dataDir, ['backup'])).toMatchObject({ code: 0 });
  for (const line of (await svc(dataDir, ['backup', 'list'])).stdout.split('\n'))
    expect(await svc(dataDir, ['backup', 'verify', line.split('\t')[3] ?? ''])).toMatchObject({ code: 0 });
  expect(readdirSync(join(dataDir, 'backups')).filter((name) => name.endsWith('.part'))).toEqual([]);
});

it('svc restore killed at random moments: what comes next has all of one or all of the other (specification 9.1.3)', {
  timeout: 180_000,
}, async () => {
  const dataDir = freshDataDir();
  makeRelease('current', dataDir);
  await svc(dataDir, ['upgrade']);
  const then = contentOf(dataDir);
  const { stdout: backup } = await svc(dataDir, ['backup']);
  const restore = ['restore', backup, '--yes'];
  const took = await timeOf(dataDir, restore);
  for (let kill = 0; kill < KILLS; kill += 1) {
    const raw = rawDatabase(dataDir);
    raw.exec("update accounts set email = 'later@lab.test' where id = 'account-1'");
    raw.close();
    const now = contentOf(dataDir);
    await killed(dataDir, restore, took, kill);
    // The command completes a restore that was interrupted, as a start does.
    expect(await svc(dataDir, ['upgrade'])).toMatchObject({ code: 0 });
    expect([then, now]).toContainEqual(contentOf(dataDir));
    expect(existsSync(join(dataDir, 'restore.json'))).toBe(false);
  }
  await svc(dataDir, restore);
  expect(contentOf(dataDir)).toEqual(then);
});

it('the server makes its own by schedule, and keeps so many (specification 9.1.3)', async () => {
  const env = { SVC_BACKUP_INTERVAL_HOURS: '1', SVC_BACKUP_KEEP: '1' };
  const server = await startApi({ env });
  const { dataDir } = server;
  const made = () =>
    existsSync(join(dataDir, 'backups'))
      ? readdirSync(join(dataDir, 'backups')).filter((name) => name.endsWith('-scheduled'))
      : [];
  await expect.poll(made, { timeout: 30_000, interval: 200 }).toHaveLength(1);
  expect(await svc(dataDir, ['backup', 'verify', 'latest'])).toMatchObject({ code: 0 });
  await server.stop();
  const second = await svc(dataDir, ['backup', '--scheduled', '--keep', '1']);
  expect(made()).toEqual([second.stdout.split('/').at(-1)]);
});

async function timeOf(dataDir: string, args: string[]): Promise<number> {
  const began = performance.now();
  expect(await svc(dataDir, args)).toMatchObject({ code: 0 });
  return performance.now() - began;
}

async function killed(dataDir: string, args: string[], took: number, nth: number): Promise<void> {
  const command = runNode(CLI, { env: { SVC_DATA_DIR: dataDir }, args });
  await pause(((nth + Math.random()) / KILLS) * took);
  command.child.kill('SIGKILL');
  await command.exited;
}
