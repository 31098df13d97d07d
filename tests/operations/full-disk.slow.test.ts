import { existsSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HttpResponse } from '../conformance/support/call.ts';
import { type Credentials, World } from '../conformance/support/world.ts';
import { runNode, type ServerOptions, startApi } from '../support/lab.ts';
import { SmallDisk } from './support/small-disk.ts';

const resolve = createRequire(import.meta.url).resolve;
const KIB = 6 * 1024;
/** Number of writes after which the write-ahead log must have grown. */
const MOST_WRITES = 2_000;

let disk: SmallDisk;
let world: World;
/** Several API keys, so that no rate limit is reached. */
let keys: readonly Credentials[];
let key: Credentials;
/** Tokens whose creation was confirmed with 201, by name. */
const made = new Map<string, Credentials>();

const onDisk = (options: ServerOptions = {}) =>
  startApi({ ...options, dataDir: disk.folder, within: disk.enter });

beforeAll(async () => {
  disk = await SmallDisk.mount(KIB);
  world = await World.start(onDisk);
  key = (await world.apiKey(world.root.as, { scopes: ['admin'], rateLimit: 100_000 })).as;
  keys = await world.makers(10);
});

afterAll(async () => {
  await world.server.stop('SIGKILL');
  await disk.unmount();
});

/** Creates a Profile token and records it if the response is 201. */
async function makeToken(): Promise<HttpResponse> {
  const name = `token ${made.size}`;
  const as = keys[made.size % keys.length] as Credentials;
  const answer = await world.api('POST', '/profile/tokens', { as, json: { name } });
  if (answer.status === 201) made.set(answer.body.id, { ...as, 'x-svc-token': answer.body.token as string });
  return answer;
}

/** @returns the first response that is not 201 */
async function untilRefused(): Promise<HttpResponse> {
  for (let round = 0; round < MOST_WRITES; round++) {
    const answer = await makeToken();
    if (answer.status !== 201) return answer;
  }
  throw new Error(`the disk took ${MOST_WRITES} writes`);
}

const UNAVAILABLE = {
  error: 'unavailable',
  message: 'The check could not run; nothing was changed. Try again later.',
};

/** Expects that exactly the confirmed tokens exist, and that each of them works. */
async function expectNothingLost(): Promise<void> {
  const all = await world.ok('GET', '/apikeys', { as: key });
  const listed = all.filter(({ kind }: { kind: string }) => kind === 'profile');
  expect(listed.map(({ id }: { id: string }) => id).sort()).toEqual([...made.keys()].sort());
  const tokens = [...made.values()];
  for (const as of [...tokens.slice(0, 3), ...tokens.slice(-3)]) expect(await world.asks(as)).toBe('200');
}

const svc = async (...args: string[]) => {
  const run = runNode(resolve('@svc/cli/main.js'), {
    args: [...args, '--data-dir', disk.folder],
    within: disk.enter,
  });
  const { code } = await run.exited;
  return { code, stdout: run.stdout(), output: run.output() };
};

describe('the disk of the data folder is full (contract 1)', () => {
  it('changes are answered 503 in the one shape, and what is held goes on being verified (contract 1)', async () => {
    const person = await world.person();
    const bearer = await world.bearer(person.as);
    disk.fill();
    const refused = await untilRefused();
    expect(refused.status).toBe(503);
    expect(refused.body).toEqual(UNAVAILABLE);
    for (const as of [world.root.as, person.as, bearer, key]) expect(await world.asks(as)).toBe('200');
    await expectNothingLost();
    // A sign-in with the right password gets 503, and not the response to a wrong password.
    const login = (password: string) =>
      world.api('POST', '/auth/login', { json: { email: person.email, password } });
    expect((await login(person.password)).status).toBe(503);
    expect((await login('not the password')).status).toBe(401);
    expect(await world.asks({ ...key, 'x-svc-token': 'wrong' })).toBe('401 invalid credentials');
    const changes = await Promise.all([
      world.api('POST', '/users', { as: key, json: { email: 'x@lab.test', name: 'x', role: 'Member' } }),
      world.api('PATCH', `/users/${person.id}`, { as: key, json: { role: 'Admin' } }),
      world.api('DELETE', `/users/${person.id}`, { as: key }),
      world.api('POST', '/teams', { as: key, json: { name: 'x' } }),
    ]);
    expect(changes.map(({ status, body }) => [status, body.error])).toEqual(
      changes.map(() => [503, 'unavailable']),
    );
    expect((await world.ok('GET', '/auth/me', { as: person.as })).role).toBe('Member');
    expect((await world.api('GET', '/health')).status).toBe(200);
    const ready = await world.api('GET', '/health/ready');
    expect([ready.status, ready.body.checks.database]).toEqual([503, false]);
  });

  it('commands on the host say that there is no room, and change nothing', async () => {
    const reset = await svc('admin', 'reset-password', world.root.email);
    expect(reset).toMatchObject({ code: 1, stdout: '' });
    expect(reset.output).toContain('There is no room left on the disk');
    expect(await world.asks(world.root.as)).toBe('200');
    const backup = await svc('backup');
    expect(backup).toMatchObject({ code: 1, stdout: '' });
    expect(backup.output).toContain('is full, so no backup was made');
    const backups = join(disk.seen, 'backups');
    expect(existsSync(backups) ? readdirSync(backups).filter((name) => name !== '.lock') : []).toEqual([]);
  });

  it('the server continues automatically when the disk has room again (contract 1)', async () => {
    disk.makeRoom();
    expect((await makeToken()).status).toBe(201);
    await world.signIn(world.root.email, world.root.password);
    await expectNothingLost();
    expect((await svc('audit', 'verify')).code).toBe(0);
    expect((await svc('backup')).code).toBe(0);
  });

  it('requests at once while the last KiB go: each is done or it is not', async () => {
    disk.fillBut(160);
    const statuses = new Set<number>();
    for (let round = 0; round < 40 && !statuses.has(503); round++) {
      const answers = await Promise.all(Array.from({ length: 20 }, makeToken));
      for (const { status } of answers) statuses.add(status);
    }
    expect([...statuses].sort()).toEqual([201, 503]);
    await expectNothingLost();
  });

  it('killed there and started again: what was answered is there, and the rest is refused (specification 9.1.6)', async () => {
    disk.fill();
    await untilRefused();
    await world.server.stop('SIGKILL');
    // The write-ahead log keeps its length, so a start has room for its writes.
    world = world.movedTo(await onDisk());
    await expectNothingLost();
    expect((await untilRefused()).body).toEqual(UNAVAILABLE);
    disk.makeRoom();
    expect((await makeToken()).status).toBe(201);
    await expectNothingLost();
    expect((await world.api('GET', '/health/ready')).status).toBe(200);
    expect((await svc('audit', 'verify')).code).toBe(0);
  });

  it('a first start there says why it cannot, and leaves nothing that is in the way (specification 9.1.6)', async () => {
    disk.fill();
    const dataDir = join(disk.folder, 'another');
    const options = { env: { PORT: '0', SVC_DATA_DIR: dataDir }, within: disk.enter };
    const failing = runNode(resolve('@svc/api/main.js'), options);
    expect(await failing.exited).toMatchObject({ code: 1 });
    expect(failing.output()).toContain(`There is no room left on the disk of ${dataDir}`);
    expect(failing.output()).not.toContain('svc ready on');
    disk.makeRoom();
    const server = await startApi({ dataDir, within: disk.enter });
    expect((await server.api('/health/ready')).status).toBe(200);
    await server.stop();
  });
});
