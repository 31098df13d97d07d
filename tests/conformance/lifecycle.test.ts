import { join } from 'node:path';
import { silentLog } from '@svc/auth-core/testing';
import { openStore } from '@svc/store-sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call } from './support/call.ts';
import { expectError } from './support/errors.ts';
import { holdOpen } from './support/raw.ts';
import { type Credentials, type Person, targets, World } from './support/world.ts';

interface All {
  readonly key: Credentials;
  readonly token: Credentials;
  readonly bearer: Credentials;
  readonly mcp: Credentials;
  readonly cookie: Credentials;
}

describe.each(targets)('changes that stop credentials on $name', ({ start }) => {
  let world: World;

  beforeAll(async () => {
    world = await World.start(start);
  });
  afterAll(() => world.server.stop());

  const change = (id: string, json: object) =>
    world.api('PATCH', `/users/${id}`, { as: world.root.as, json });

  /** Creates one credential of every kind and uses each once, so that the server caches it. */
  async function everyKind(person: Person): Promise<All> {
    const key = (await world.apiKey(person.as, { scopes: ['admin'] })).as;
    const all = {
      key,
      token: (await world.pair(person.as)).as,
      bearer: await world.bearer(key),
      mcp: await world.bearer(person.as, { audience: 'svc-mcp' }),
      cookie: person.as,
    };
    for (const as of Object.values(all)) expect(await world.asks(as)).toBe('200');
    return all;
  }

  const fates = async (all: All, path?: string) =>
    Object.fromEntries(
      await Promise.all(
        Object.entries(all).map(async ([kind, as]) => [kind, await world.asks(as, path)] as const),
      ),
    );

  const STOPPED = {
    key: '401 invalid credentials',
    token: '401 invalid credentials',
    bearer: '401 invalid token',
    mcp: '401 invalid token',
    cookie: '401 invalid session',
  };

  it('deactivation stops every credential on the next request (spec 3, User)', async () => {
    const person = await world.person('Admin');
    const all = await everyKind(person);
    await change(person.id, { status: 'Inactive' });
    expect(await fates(all)).toEqual(STOPPED);
    const json = { email: person.email, password: person.password };
    expectError(await world.api('POST', '/auth/login', { json }), 'invalid credentials');
  });

  it('deactivation ends sign-ins for good; keys and tokens work again after it is undone (contract 2)', async () => {
    const person = await world.person('Admin');
    const all = await everyKind(person);
    await change(person.id, { status: 'Inactive' });
    await change(person.id, { status: 'Active' });
    expect(await fates(all)).toMatchObject({
      key: '200',
      token: '200',
      bearer: '200',
      cookie: STOPPED.cookie,
    });
  });

  it('deletion stops every credential on the next request (spec 3, User)', async () => {
    const person = await world.person('Admin');
    const all = await everyKind(person);
    await world.ok('DELETE', `/users/${person.id}`, { as: world.root.as });
    expect(await fates(all)).toEqual(STOPPED);
  });

  it.each([
    ['Inactive', { status: 'Inactive' }, '401 invalid token', '401 invalid token'],
    ['demoted', { role: 'Member' }, '403 insufficient_role', '403 insufficient_role'],
    ['with another password', { signInEpoch: 1 }, '200', '401 invalid token'],
    ['deleted', null, '401 invalid token', '401 invalid token'],
  ] as const)(
    '%s by another process: counts on the next request, also of a token not used before (spec 5.1.2)',
    async (_, update, ofKey, ofSignIn) => {
      const person = await world.person('Admin');
      const key = await world.apiKey(person.as, { scopes: ['admin'] });
      const minted = async () => [await world.bearer(key.as), await world.bearer(person.as)] as const;
      const [used, unused] = [await minted(), await minted()];
      for (const as of used) expect(await world.asks(as, '/users')).toBe('200');
      const file = join(world.server.dataDir, 'svc.db');
      const store = await openStore({ file, clock: { now: Date.now }, log: silentLog(), autoMigrate: false });
      store.transaction(({ accounts }) =>
        update === null ? accounts.remove(person.id) : accounts.update(person.id, update),
      );
      store.close();
      for (const tokens of [unused, used]) {
        const fate = await Promise.all(tokens.map((as) => world.asks(as, '/users')));
        expect(fate).toEqual([ofKey, ofSignIn]);
      }
    },
  );

  it('demotion takes admin from everything at once (spec 5.3.2, contract 3.2)', async () => {
    const person = await world.person('Admin');
    const { token: _, mcp: __, ...strong } = await everyKind(person);
    expect(await fates(strong as All, '/users')).toEqual({ key: '200', bearer: '200', cookie: '200' });
    await change(person.id, { role: 'Member' });
    const refused = '403 insufficient_role';
    expect(await fates(strong as All, '/users')).toEqual({ key: refused, bearer: refused, cookie: refused });
    const scopes = async (as: Credentials) => (await world.ok('GET', '/auth/me', { as })).scopes;
    expect(await scopes(strong.key)).toEqual([]);
    expect(await scopes(strong.bearer)).toEqual([]);
    expect(await scopes(strong.cookie)).toEqual(['read', 'sessions', 'devices']);
    await change(person.id, { role: 'Admin' });
    expect(await fates(strong as All, '/users')).toEqual({ key: '200', bearer: '200', cookie: '200' });
  });

  it('an Admin token with admin counts for all scopes, a demoted one for what else it names (contract 3.2)', async () => {
    const person = await world.person('Admin');
    const key = await world.apiKey(person.as, { scopes: ['read', 'admin'] });
    const asksForAll = { audience: 'svc-mcp', scopes: ['svc:devices:read', 'auto:use'] };
    const mint = () => world.api('POST', '/auth/token', { as: key.as, json: asksForAll });
    expect((await mint()).status).toBe(200);
    await change(person.id, { role: 'Member' });
    expectError(await mint(), 'scope_exceeds_key');
  });

  it('a revoked token is refused on the very next request, whoever else uses it (spec 3, Token)', async () => {
    const person = await world.person();
    for (let round = 0; round < 10; round += 1) {
      const { id, as } = await world.pair(person.as);
      const before = await Promise.all(Array.from({ length: 5 }, () => world.asks(as)));
      expect(new Set(before)).toEqual(new Set(['200']));
      await world.ok('DELETE', `/profile/tokens/${id}`, { as: person.as });
      expect(await world.asks(as)).toBe('401 invalid credentials');
    }
  });

  it('a bearer token outlives the revocation of its source, not its expiry (spec 5.3.3)', async () => {
    const person = await world.person();
    const pair = await world.pair(person.as);
    const bearer = await world.bearer(pair.as);
    await world.ok('DELETE', `/profile/tokens/${pair.id}`, { as: person.as });
    expect(await world.asks(bearer)).toBe('200');
  });

  it('a request held open makes no change once its credential was revoked (spec 5.1.2)', async () => {
    const person = await world.person();
    const pair = await world.pair(person.as);
    const body = JSON.stringify({ name: 'smuggled' });
    const held = await holdOpen(world.url, '/svc/api/profile/tokens', pair.as, body);
    await world.ok('DELETE', `/profile/tokens/${pair.id}`, { as: person.as });
    expect(await held()).toMatch(/^HTTP\/1\.1 401 [\s\S]*"invalid credentials"/);
    expect(await world.ok('GET', '/profile/tokens', { as: person.as })).toEqual([]);
  });

  it('a request in flight creates no key once its user was demoted (spec 5.3.2)', async () => {
    const person = await world.person('Admin');
    const body = JSON.stringify({ name: 'smuggled', scopes: ['admin'] });
    const held = await holdOpen(world.url, '/svc/api/apikeys', person.as, body);
    await change(person.id, { role: 'Member' });
    expect(await held()).toMatch(/^HTTP\/1\.1 403 [\s\S]*"insufficient_role"/);
  });

  it('one of two Super admins who remove each other at the same time stays (contract 2)', async () => {
    const { root } = world;
    for (const act of ['demote', 'deactivate', 'delete'] as const) {
      const [a, b] = [await world.person('Super admin'), await world.person('Super admin')];
      const others = (await world.ok('GET', '/users', { as: a.as })).filter(
        ({ id, role }: { id: string; role: string }) => role === 'Super admin' && id !== a.id && id !== b.id,
      );
      for (const { id } of others) await patch(a, id, { status: 'Inactive' });
      const answers = await Promise.all([attack(a, b, act), attack(b, a, act)]);
      const done = answers.filter(({ status }) => status < 300);
      expect(done, answers.map(({ text }) => text).join()).toHaveLength(1);
      const survivor = answers[0].status < 300 ? a : b;
      expectError(await patch(survivor, survivor.id, { role: 'Member' }), 'cannot_change_yourself');
      for (const { id } of others) await patch(survivor, id, { status: 'Active' });
      root.as = await world.signIn(root.email, root.password);
      await world.ok('DELETE', `/users/${survivor.id}`, { as: root.as });
    }
  });

  const patch = (by: Person, id: string, json: object) =>
    world.api('PATCH', `/users/${id}`, { as: by.as, json });
  const attack = (by: Person, victim: Person, act: 'demote' | 'deactivate' | 'delete') =>
    act === 'delete'
      ? call(world.url, 'DELETE', `/svc/api/users/${victim.id}`, { as: by.as })
      : patch(by, victim.id, act === 'demote' ? { role: 'Admin' } : { status: 'Inactive' });

  it('rotations at once leave one key that works', async () => {
    const person = await world.person();
    const pair = await world.pair(person.as);
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => world.ok('POST', '/profile/access-key/rotate', { as: person.as })),
    );
    const keys = answers.map(({ accessKey }) => accessKey as string);
    const fates = await Promise.all(keys.map((key) => world.asks({ ...pair.as, 'x-svc-access-key': key })));
    expect(new Set(keys).size).toBe(8);
    expect(fates.filter((fate) => fate === '200')).toHaveLength(1);
  });

  it('revocations and deletions at once succeed once', async () => {
    const person = await world.person();
    const { id } = await world.pair(person.as);
    const revoke = () => world.api('DELETE', `/profile/tokens/${id}`, { as: person.as });
    const revoked = await Promise.all(Array.from({ length: 6 }, revoke));
    expect(revoked.map(({ status }) => status).sort()).toEqual([204, 404, 404, 404, 404, 404]);
    const remove = () => world.api('DELETE', `/users/${person.id}`, { as: world.root.as });
    const removed = await Promise.all(Array.from({ length: 6 }, remove));
    expect(removed.map(({ status }) => status).sort()).toEqual([204, 404, 404, 404, 404, 404]);
  });
});
