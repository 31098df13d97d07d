import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectError } from './support/errors.ts';
import { type Credentials, type Person, targets, World } from './support/world.ts';

const HOUR = 3_600_000;
const inHours = (hours: number) => new Date(Date.now() + hours * HOUR).toISOString();

describe.each(targets)('Profile tokens on $name', ({ start }) => {
  let world: World;
  let member: Person;
  let admin: Person;

  beforeAll(async () => {
    world = await World.start(start);
    member = await world.person('Member');
    admin = await world.person('Admin');
  });
  afterAll(() => world.server.stop());

  const create = (as: Credentials, json: object) => world.api('POST', '/profile/tokens', { as, json });

  it('a token is svct_, 43 base62 characters and a checksum, and is shown once (spec 4 tokens, 5.1.4, contract 4)', async () => {
    const answer = await create(member.as, { name: ' laptop ' });
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      id: expect.any(String),
      name: 'laptop',
      scopes: ['read', 'sessions'],
      token: expect.stringMatching(/^svct_[0-9A-Za-z]{49}$/),
      expiresAt: null,
    });
    const list = await world.api('GET', '/profile/tokens', { as: member.as });
    expect(list.body[0]).toEqual({
      id: answer.body.id,
      name: 'laptop',
      scopes: ['read', 'sessions'],
      createdAt: expect.any(String),
      lastUsedAt: null,
      unusedSince: null,
      expiresAt: null,
      expired: false,
    });
    expect(list.text).not.toContain(answer.body.token);
  });

  it.each([
    ['Member', ['read', 'sessions']],
    ['Admin', ['read', 'sessions', 'devices']],
    ['Super admin', ['admin']],
  ] as const)(
    'a token of a %s without scopes gets all that the role has there (spec 5.2.1)',
    async (role, scopes) => {
      const person = await world.person(role);
      for (const input of [{ name: 'a' }, { name: 'b', scopes: [] }]) {
        expect((await create(person.as, input)).body.scopes).toEqual(scopes);
      }
    },
  );

  it.each([
    ['Member', ['devices']],
    ['Member', ['admin']],
    ['Admin', ['admin']],
    ['Admin', ['read', 'admin']],
  ] as const)('a %s cannot take %s (contract 3.1)', async (role, scopes) => {
    const { as } = role === 'Member' ? member : admin;
    const answer = await create(as, { name: 'a', scopes });
    expectError(answer, 'scope_exceeds_credential');
    expect(answer.body.scopes).toEqual([scopes.at(-1)]);
  });

  it('a Super admin may take any (contract 3.1)', async () => {
    const answer = await create(world.root.as, { name: 'a', scopes: ['devices', 'read', 'read'] });
    expect(answer.body.scopes).toEqual(['read', 'devices']);
  });

  it('scopes stay within those of the credential used (spec 5.2.1)', async () => {
    const narrow = await world.pair(member.as, { scopes: ['read'] });
    expect((await create(narrow.as, { name: 'a', scopes: ['read'] })).status).toBe(201);
    expectError(
      await create(narrow.as, { name: 'a', scopes: ['read', 'sessions'] }),
      'scope_exceeds_credential',
    );
    expectError(await create(narrow.as, { name: 'a' }), 'scope_exceeds_credential');
    const mcp = await world.bearer(world.root.as, { audience: 'svc-mcp', scopes: ['auto:use'] });
    expectError(await create(mcp, { name: 'a', scopes: ['sessions'] }), 'agents_mint_bearers_only');
  });

  it.each([[['reads']], [['']], [['READ']], [['svc:devices:read']], [['read', '__proto__']]])(
    'an unknown scope is named: %s (contract 2)',
    async (scopes) => {
      const answer = await create(member.as, { name: 'a', scopes });
      expectError(answer, 'unknown_scope');
      expect(answer.body.scopes).toEqual(scopes.filter((scope) => scope !== 'read'));
    },
  );

  it.each(['', ' ', 'x'.repeat(101), 'a\nb', 'a\0b', '\u2028', '\u0085'])(
    'a name that is none: %j (contract 2)',
    async (name) => {
      expectError(await create(member.as, { name }), 'invalid_name');
    },
  );

  it.each(['😀'.repeat(100), 'Ünïcödé', "Robert'); drop table", '<b>'])(
    'any other name will do: %s (contract 2)',
    async (name) => {
      expect((await create(member.as, { name })).body.name).toBe(name);
    },
  );

  it.each([
    'tomorrow',
    '',
    '2030-02-30T00:00:00Z',
    '2030-13-01',
    '12/31/2030',
    '2001-01-01T00:00:00Z',
    '1900000000000',
  ])('an expiry that is none or past: %s (contract 2)', async (expiresAt) => {
    expectError(await create(member.as, { name: 'a', expiresAt }), 'invalid_expiry');
  });

  it('a given expiry comes back in UTC with milliseconds (contract 1)', async () => {
    const answer = await create(member.as, { name: 'a', expiresAt: '2099-01-01T02:00:00+02:00' });
    expect(answer.body.expiresAt).toBe('2099-01-01T00:00:00.000Z');
  });

  it('nothing made with an expiring credential outlives it (spec 5.2.2, 5.2.3)', async () => {
    const expiresAt = inHours(1);
    const source = await world.pair(member.as, { expiresAt });
    for (const as of [source.as, await world.bearer(source.as)]) {
      const bound = as === source.as ? expiresAt : (await world.ok('GET', '/auth/me', { as })).expiresAt;
      expect((await create(as, { name: 'inherits' })).body.expiresAt).toBe(bound);
      expectError(await create(as, { name: 'never', expiresAt: null }), 'expiry_exceeds_credential');
      expectError(await create(as, { name: 'longer', expiresAt: inHours(2) }), 'expiry_exceeds_credential');
      const sooner = inHours(0.5);
      expect((await create(as, { name: 'sooner', expiresAt: sooner })).body.expiresAt).toBe(sooner);
    }
    expect((await create(member.as, { name: 'from a sign-in' })).body.expiresAt).toBeNull();
  });

  it('the list is the own one, newest first (contract 2)', async () => {
    const person = await world.person();
    const ids = [(await world.pair(person.as)).id, (await world.pair(person.as)).id];
    const list = await world.ok('GET', '/profile/tokens', { as: person.as });
    expect(list.map(({ id }: { id: string }) => id).sort()).toEqual(ids.sort());
    const times = list.map(({ createdAt }: { createdAt: string }) => createdAt);
    expect(times).toEqual([...times].sort().reverse());
  });

  it('a deleted token stops at once and leaves the list (spec 3, Token)', async () => {
    const pair = await world.pair(member.as);
    expect(await world.asks(pair.as)).toBe('200');
    const gone = await world.api('DELETE', `/profile/tokens/${pair.id}`, { as: member.as });
    expect(gone.status).toBe(204);
    expect(await world.asks(pair.as)).toBe('401 invalid credentials');
    expectError(await world.api('DELETE', `/profile/tokens/${pair.id}`, { as: member.as }), 'not_found');
    const list = await world.ok('GET', '/profile/tokens', { as: member.as });
    expect(list.map(({ id }: { id: string }) => id)).not.toContain(pair.id);
  });

  it('a token of somebody else is unknown here, to a Super admin too (contract 2)', async () => {
    const pair = await world.pair(member.as);
    const foreign = await world.api('DELETE', `/profile/tokens/${pair.id}`, { as: world.root.as });
    const unknown = await world.api('DELETE', '/profile/tokens/nobody', { as: world.root.as });
    expect([foreign.status, foreign.text]).toEqual([404, unknown.text]);
    expect(await world.asks(pair.as)).toBe('200');
  });

  it('last use shows after the token was used (spec 2, Token)', async () => {
    const pair = await world.pair(member.as);
    await world.asks(pair.as);
    const list = await world.ok('GET', '/profile/tokens', { as: member.as });
    const { lastUsedAt } = list.find(({ id }: { id: string }) => id === pair.id);
    expect(Math.abs(Date.now() - Date.parse(lastUsedAt))).toBeLessThan(10_000);
  });

  it('rotation: the old key stops at once, tokens work with the new one (spec 3 Access key, 4 access-key, 4 rotate, contract 2 access-key)', async () => {
    const person = await world.person();
    const pair = await world.pair(person.as);
    const { accessKey } = await world.ok('POST', '/profile/access-key/rotate', { as: person.as });
    expect(accessKey).toMatch(/^svc_[0-9A-Za-z]{24}$/);
    expect(await world.asks(pair.as)).toBe('401 invalid credentials');
    expect(await world.asks({ ...pair.as, 'x-svc-access-key': accessKey })).toBe('200');
    expect((await world.ok('GET', '/profile/access-key', { as: person.as })).accessKey).toBe(accessKey);
  });

  it('rotation asks for a sign-in or admin (spec 3 Access key, 4 rotate, contract 2 access-key)', async () => {
    const person = await world.person('Admin');
    const plain = await world.pair(person.as);
    const strong = await world.apiKey(person.as, { scopes: ['admin'] });
    const rotate = (as: Credentials) => world.api('POST', '/profile/access-key/rotate', { as });
    expectError(await rotate(plain.as), 'rotation_needs_sign_in_or_admin');
    expectError(await rotate(await world.bearer(plain.as)), 'rotation_needs_sign_in_or_admin');
    expect((await rotate(strong.as)).status).toBe(200);
    expect(await world.asks(strong.as)).toBe('401 invalid credentials');
  });
});
