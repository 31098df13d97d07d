import { createRequire } from 'node:module';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Credentials, World } from '../conformance/support/world.ts';
import { openEvents } from '../support/event-stream.ts';
import { freshDataDir, runNode, signIn, startApi } from '../support/lab.ts';
import { svc } from './support/svc-command.ts';

const CLI = createRequire(import.meta.url).resolve('@svc/cli/main.js');

let world: World;
const dataDir = freshDataDir();

beforeAll(async () => {
  world = await World.start(startApi, { SVC_LOGIN_RATE_LIMIT_ATTEMPTS: '1000' }, dataDir);
});

afterAll(() => world.server.stop());

/** Runs `svc admin …` while the server runs. Fails the test unless the command exits with 0. */
async function admin(...args: string[]) {
  const done = await svc(dataDir, ['admin', ...args]);
  if (done.code !== 0) throw new Error(`svc admin ${args.join(' ')}: ${done.code}\n${done.output}`);
  return done;
}

async function rowsOf(target: string): Promise<unknown[]> {
  const { items } = await world.ok('GET', '/audit?actor=command%20line&limit=200', { as: world.root.as });
  return items.filter((row: { target: string }) => row.target === target);
}

const statusOf = async (id: string): Promise<string> =>
  (await world.ok('GET', '/users', { as: world.root.as })).find((user: { id: string }) => user.id === id)
    .status;

describe('svc admin beside a running server', () => {
  it('create: the password is printed once, opens the account and has to be changed (contract 2, /users)', async () => {
    const made = await admin('create', 'ann@lab.test', '--role', 'admin', '--name', 'Ann', '--json');
    const { temporaryPassword, ...account } = JSON.parse(made.stdout);
    expect(account).toMatchObject({
      email: 'ann@lab.test',
      name: 'Ann',
      role: 'Admin',
      passwordChangeRequired: true,
    });
    const as = { cookie: await signIn(world.url, 'ann@lab.test', temporaryPassword) };
    expect(await world.ok('GET', '/auth/me', { as })).toMatchObject({
      role: 'Admin',
      passwordChangeRequired: true,
    });
    expect(await rowsOf(account.id)).toEqual([
      expect.objectContaining({
        event: 'user_created',
        outcome: 'success',
        reason: 'svc admin create on the host: role Admin',
      }),
    ]);
    expect(await svc(dataDir, ['admin', 'create', 'ANN@lab.test'])).toMatchObject({ code: 1, stdout: '' });
    expect(world.server.output()).not.toContain(temporaryPassword);
    expect(JSON.stringify((await world.api('GET', '/audit', { as: world.root.as })).body)).not.toContain(
      temporaryPassword,
    );
  });

  it('svc admin beside a running server promote and demote count for what is signed in and for keys with the next request (contract 3.2)', async () => {
    const person = await world.person();
    const bearer = await world.bearer(person.as);
    const ways: Credentials[] = [person.as, bearer];
    const ask = () => Promise.all(ways.map((as) => world.asks(as, '/users')));
    expect(await ask()).toEqual(['403 insufficient_role', '403 insufficient_role']);
    await admin('promote', person.email);
    // A bearer token keeps the scopes with which it was minted.
    expect(await ask()).toEqual(['200', '403 insufficient_scope']);
    expect((await admin('promote', person.email)).output).toContain('is Admin already');
    expect(await svc(dataDir, ['admin', 'demote', person.email, '--role', 'Super-Admin'])).toMatchObject({
      code: 2,
    });
    await admin('promote', person.email, '--role', 'super-admin');
    const refused = await svc(dataDir, ['admin', 'promote', person.email]);
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.output).toContain('use `svc admin demote`');
    await admin('demote', person.email);
    expect(await ask()).toEqual(['403 insufficient_role', '403 insufficient_role']);
    expect((await rowsOf(person.id)).map((row) => (row as { reason: string }).reason)).toEqual([
      'svc admin demote on the host: role Super admin to Member',
      'svc admin promote on the host: role Admin to Super admin',
      'svc admin promote on the host: role Member to Admin',
    ]);
  });

  it('svc admin beside a running server deactivate ends cookies, keys, bearer tokens, connections and leases at once (spec 3, User Inactive)', async () => {
    const person = await world.person();
    const pair = await world.pair(person.as);
    const ways = [person.as, pair.as, await world.bearer(person.as), await world.bearer(pair.as)];
    const ask = () => Promise.all(ways.map((as) => world.asks(as)));
    const events = await openEvents(world.url, person.as);
    await admin('deactivate', person.email);
    expect(await ask()).toEqual([
      '401 invalid session',
      '401 invalid credentials',
      '401 invalid token',
      '401 invalid token',
    ]);
    expect(await events.closed).toBe(1008);
    const login = await world.api('POST', '/auth/login', {
      json: { email: person.email, password: person.password },
    });
    expect(login.status).toBe(401);
    await admin('activate', person.email);
    expect(await ask()).toEqual(['401 invalid session', '200', '200', '200']);
    await world.signIn(person.email, person.password);
  });

  it('tokens lists no secret, and revoke ends one and what it opened (spec 3, Token)', async () => {
    const boss = await world.person('Super admin');
    const key = await world.apiKey(boss.as, { name: 'CI of ann', scopes: ['admin'] });
    const opened = await world.api('POST', '/auth/dashboard-session', { as: key.as });
    const cookie = opened.headers['set-cookie']?.[0]?.split(';', 1)[0] as string;
    expect(await world.asks({ cookie })).toBe('200');
    const listed = await admin('tokens', boss.email, '--json');
    expect(JSON.parse(listed.stdout)).toEqual([
      expect.objectContaining({ id: key.id, name: 'CI of ann', kind: 'api-key', scopes: ['admin'] }),
    ]);
    expect(listed.stdout).not.toContain(key.token);
    await admin('revoke', key.id);
    expect(await world.asks(key.as)).toBe('401 invalid credentials');
    expect(await world.asks({ cookie })).toBe('401 invalid session');
    expect(await svc(dataDir, ['admin', 'revoke', key.id])).toMatchObject({ code: 1, stdout: '' });
    expect(await rowsOf(key.id)).toHaveLength(1);
  });

  it('a command and a request at once: one active Super admin stays (contract 2, last_super_admin)', async () => {
    for (const round of [0, 1]) {
      const other = await world.person('Super admin');
      for (const { id, role } of await world.ok('GET', '/users', { as: world.root.as }))
        if (role === 'Super admin' && ![world.root.id, other.id].includes(id))
          await world.ok('PATCH', `/users/${id}`, { as: world.root.as, json: { role: 'Member' } });
      const command = svc(dataDir, ['admin', 'demote', other.email]);
      // Pauses for about the time that the command takes to start.
      await pause(250 + 100 * round);
      const request = await world.api('PATCH', `/users/${world.root.id}`, {
        as: other.as,
        json: { status: 'Inactive' },
      });
      const { code } = await command;
      // Either the caller is still a Super admin, or the change has removed the role.
      expect([
        [0, 403],
        [1, 200],
      ]).toContainEqual([code, request.status]);
      const [stays, lost] = code === 0 ? [world.root, other] : [other, world.root];
      const users = await world.ok('GET', '/users', { as: stays.as });
      const left = users.filter(
        ({ role, status }: { role: string; status: string }) => role === 'Super admin' && status === 'Active',
      );
      expect(left.map(({ id }: { id: string }) => id)).toEqual([stays.id]);
      expect(await svc(dataDir, ['admin', 'deactivate', stays.email])).toMatchObject({ code: 1 });
      if (lost !== world.root) continue;
      await admin('activate', world.root.email);
      world.root.as = await world.signIn(world.root.email, world.root.password);
    }
  });

  it('a command that is killed at any moment leaves the account before or after it, and the trail whole', async () => {
    const person = await world.person();
    for (let round = 0; round < 7; round++) {
      const wanted = (await statusOf(person.id)) === 'Active' ? 'deactivate' : 'activate';
      const run = runNode(CLI, { args: ['admin', wanted, person.email, '--data-dir', dataDir] });
      // The process may be killed before its modules are loaded, after the change, or at any time between; no test
      // depends on the moment.
      await pause(80 + 60 * round);
      await run.stop('SIGKILL');
      const status = await statusOf(person.id);
      const sees = await world.asks(person.as);
      if (status === 'Inactive') expect(sees).toBe('401 invalid session');
      if (sees === '200') expect(status).toBe('Active');
      const rows = (await rowsOf(person.id)).length;
      // Each change has its audit row, and there is no row without a change.
      expect(rows % 2 === 0 ? 'Active' : 'Inactive').toBe(status);
    }
    expect((await svc(dataDir, ['audit', 'verify'])).code).toBe(0);
  });
});

describe('svc admin without a server', () => {
  it('the first account can be made before the first start: no built-in one comes (spec 5.9.1)', async () => {
    const folder = freshDataDir();
    expect(await svc(folder, ['admin', 'list'])).toMatchObject({ code: 1, stdout: '' });
    await svc(folder, ['migrate', '--yes']);
    const member = await svc(folder, ['admin', 'create', 'boss@lab.test']);
    expect(member).toMatchObject({ code: 1, stdout: '' });
    const args = ['admin', 'create', 'boss@lab.test', '--role', 'Super admin', '--password-stdin'];
    expect(await svc(folder, args, 'a password of the first\n')).toMatchObject({ code: 0, stdout: '' });
    const server = await startApi({ dataDir: folder });
    expect(server.output()).not.toContain('built-in password');
    await signIn(server.url, 'boss@lab.test', 'a password of the first');
    await expect(signIn(server.url)).rejects.toThrow('401');
    await server.stop();
    expect((await svc(folder, ['admin', 'list'])).stdout).toMatch(
      /^boss@lab\.test\tSuper admin\tActive\t20\S+Z$/,
    );
  });
});
