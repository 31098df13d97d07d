import { createRequire } from 'node:module';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HttpResponse } from './support/call.ts';
import { type Credentials, type Pair, type Person, targets, World } from './support/world.ts';

/** Uses the same SQLite as the store, because the test plays the role of another process that writes. */
const here = createRequire(import.meta.url);
const Database = createRequire(here.resolve('@svc/store-sqlite'))('better-sqlite3');

/** One statement waits for a second. If every change waited as long, this time would be exceeded. */
const SOON_MS = 5_000;
const NEW_PASSWORD = 'a password set while locked';

describe.each(targets)('a database another process has locked on $name', ({ start }) => {
  let world: World;
  let lock: InstanceType<typeof Database>;
  let person: Person;
  let pair: Pair;
  let warm: Record<string, Credentials>;
  let changes: Record<string, () => Promise<HttpResponse>>;

  beforeAll(async () => {
    world = await World.start(start);
    const as = world.root.as;
    person = await world.person();
    pair = await world.pair(as);
    const spare = await world.pair(as, { name: 'spare' });
    warm = { cookie: as, pair: pair.as, bearer: await world.bearer(as), person: person.as };
    for (const each of Object.values(warm)) expect(await world.asks(each)).toBe('200');
    const post = (path: string, json: object, who = as) => world.api('POST', path, { as: who, json });
    const user = { email: 'late@lab.test', name: 'Late', role: 'Member', password: NEW_PASSWORD };
    const { email, password } = person;
    changes = {
      'a team': () => post('/teams', { name: 'Late' }),
      'a setting': () => post('/config', { maxSessions: 77 }),
      'a user': () => post('/users', user),
      'a role': () => world.api('PATCH', `/users/${person.id}`, { as, json: { role: 'Admin' } }),
      'a Profile token': () => post('/profile/tokens', { name: 'late' }),
      'a revocation': () => world.api('DELETE', `/profile/tokens/${spare.id}`, { as }),
      'a bearer token': () => post('/auth/token', {}, pair.as),
      'an access key': () => post('/profile/access-key/rotate', {}, person.as),
      'a sign-in': () => world.api('POST', '/auth/login', { json: { email, password } }),
      'a password': () =>
        post('/auth/change-password', { oldPassword: password, newPassword: NEW_PASSWORD }, person.as),
    };
    lock = new Database(join(world.server.dataDir, 'svc.db'));
    lock.exec('begin immediate');
  });
  afterAll(async () => {
    lock?.close();
    await world?.server.stop();
  });

  const stateOf = async () => {
    const read = (path: string, as = world.root.as) => world.ok('GET', path, { as });
    return {
      teams: await read('/teams'),
      settings: await read('/config'),
      users: (await read('/users')).map(({ lastSignInAt, ...user }: Record<string, unknown>) => user),
      tokens: (await read('/profile/tokens')).map(({ id }: { id: string }) => id),
      accessKey: await read('/profile/access-key', person.as),
      signIns: (await read('/auth/sign-ins', person.as)).length,
    };
  };

  it('changes asked all at once are 503 in the one error shape, and soon; nothing is half done (contract 1)', async () => {
    const before = await stateOf();
    const began = performance.now();
    const asked = Object.entries(changes).map(async ([what, change]) => ({ what, answer: await change() }));
    for (const { what, answer } of await Promise.all(asked)) {
      expect([answer.status, answer.body.error], what).toEqual([503, 'unavailable']);
      expect(Object.keys(answer.body), what).toEqual(['error', 'message']);
      expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
      expect(answer.headers['cache-control']).toBe('no-store');
      expect(answer.headers['set-cookie']).toBeUndefined();
      expect(answer.text).not.toMatch(/sqlite|busy|lock|svc\.db/i);
    }
    expect(performance.now() - began).toBeLessThan(SOON_MS);
    expect(await stateOf()).toEqual(before);
  });

  it('a caller who is cached can still read, and refusals stay the same (contract 1)', async () => {
    for (const [what, as] of Object.entries(warm)) expect(await world.asks(as), what).toBe('200');
    expect(await world.asks({})).toBe('401 unauthenticated');
    expect(await world.asks({ ...pair.as, 'x-svc-token': 'svct_no' })).toBe('401 invalid credentials');
    expect((await world.api('POST', '/teams', { as: person.as, json: { name: 'x' } })).status).toBe(403);
    expect((await world.api('GET', '/health')).status).toBe(200);
  });

  it('everything works when the lock is gone, as if the refused changes had never been requested (contract 1)', async () => {
    lock.exec('rollback');
    const expected: Record<string, number> = {
      'a team': 201,
      'a setting': 200,
      'a user': 201,
      'a role': 200,
      'a Profile token': 201,
      'a revocation': 204,
      'a bearer token': 200,
      'an access key': 200,
      'a sign-in': 204,
      'a password': 204,
    };
    const { items } = await world.ok('GET', '/audit?limit=100', { as: world.root.as });
    const events = items.map(({ event }: { event: string }) => event);
    expect(events).not.toContain('authn_access_key_rotated');
    expect(events.filter((event: string) => event === 'user_created')).toHaveLength(2);
    for (const [what, change] of Object.entries(changes)) {
      const { status, text } = await change();
      expect(status, `${what}: ${text}`).toBe(expected[what]);
    }
    const login = (password: string) =>
      world.api('POST', '/auth/login', { json: { email: person.email, password } });
    expect((await login(NEW_PASSWORD)).status).toBe(204);
    expect((await login(person.password)).status).toBe(401);
  });
});
