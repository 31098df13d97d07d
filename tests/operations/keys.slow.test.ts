import { createRequire } from 'node:module';
import { setTimeout as pause } from 'node:timers/promises';
import { decodeProtectedHeader } from 'jose';
import { expect, it } from 'vitest';
import { World } from '../conformance/support/world.ts';
import { type RunningServer, runNode, startApi } from '../support/lab.ts';

const cli = createRequire(import.meta.url).resolve('@svc/cli/main.js');

const svc = async (dataDir: string, ...args: string[]) => {
  const run = runNode(cli, { args: ['keys', ...args, '--data-dir', dataDir] });
  const { code } = await run.exited;
  return { code, out: run.stdout().trim(), all: run.output() };
};

async function kids(server: RunningServer): Promise<string[]> {
  const { keys } = (await (await server.api('/auth/jwks.json')).json()) as { keys: { kid: string }[] };
  return keys.map(({ kid }) => kid);
}

/** Polls, because the server checks the keys every second. */
async function until(holds: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 20_000; !(await holds()); await pause(50))
    if (Date.now() > end) throw new Error('it never came to that');
}

it('svc keys beside a running server: rotate loses no token, compromise takes all at once', async () => {
  const world = await World.start(startApi);
  const { server } = world;
  const kidOf = (as: Record<string, string>) => decodeProtectedHeader(as.authorization?.slice(7) ?? '').kid;
  const old = await world.bearer(world.root.as);

  const announced = await svc(server.dataDir, 'rotate');
  expect(announced.code, announced.all).toBe(0);
  await until(async () => (await kids(server)).length === 2);
  expect(kidOf(await world.bearer(world.root.as))).toBe(kidOf(old));
  expect(await svc(server.dataDir, 'rotate', '--in', '0')).toMatchObject({ code: 1 });
  expect((await svc(server.dataDir, 'list')).out.split('\n')).toEqual([
    `${kidOf(old)}  signs`,
    expect.stringContaining(`${announced.out}  signs from 2`),
  ]);

  expect((await svc(server.dataDir, 'compromise')).code).toBe(1);
  const dropped = await svc(server.dataDir, 'compromise', '--yes');
  expect(dropped.code, dropped.all).toBe(0);
  await until(async () => (await world.asks(old)) === '401 invalid token');
  expect(await kids(server)).toEqual([dropped.out]);
  expect(await world.asks(world.root.as)).toBe('200');

  const before = await world.bearer(world.root.as);
  const rotated = await svc(server.dataDir, 'rotate', '--in', '0');
  expect(rotated.code, rotated.all).toBe(0);
  await until(async () => kidOf(await world.bearer(world.root.as)) === rotated.out);
  expect(await world.asks(before)).toBe('200');

  const { items } = await world.ok('GET', '/audit?limit=100', { as: world.root.as });
  const events = items.map(({ event }: { event: string }) => event);
  expect(events).toEqual(
    expect.arrayContaining([
      'sys_signing_key_announced',
      'sys_signing_keys_dropped',
      'sys_signing_key_changed',
    ]),
  );
  expect(server.output()).not.toContain('PRIVATE');
  await server.stop();
});

it('a rotation that is killed at any moment leaves keys a server starts on', async () => {
  let world = await World.start(startApi);
  const { dataDir } = world.server;
  const old = await world.bearer(world.root.as);
  for (let round = 0; round < 12; round++) {
    const run = runNode(cli, { args: ['keys', 'rotate', '--in', '0', '--data-dir', dataDir] });
    // The process may be killed before its modules are loaded, after the change, or at any time between; no test
    // depends on the moment.
    await pause(60 + 30 * round);
    await run.stop('SIGKILL');
    expect(await world.asks(old)).toBe('200');
  }
  await world.server.stop('SIGKILL');
  world = await World.start(startApi, {}, dataDir);
  expect(await world.asks(old)).toBe('200');
  expect(await world.asks(await world.bearer(world.root.as))).toBe('200');
  await world.server.stop();
});
