import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectError } from './support/errors.ts';
import { type Credentials, type Person, targets, World } from './support/world.ts';

describe.each(targets)('API keys on $name', ({ start }) => {
  let world: World;
  let admin: Person;
  let team: { id: string; name: string };

  beforeAll(async () => {
    world = await World.start(start);
    admin = await world.person('Admin');
    team = await world.ok('POST', '/teams', { as: world.root.as, json: { name: 'Red' } });
  });
  afterAll(() => world.server.stop());

  const create = (as: Credentials, json: object) =>
    world.api('POST', '/apikeys', { as, json: { name: 'key', scopes: ['read'], ...json } });
  const remove = (as: Credentials, id: string) => world.api('DELETE', `/apikeys/${id}`, { as });
  const list = (as: Credentials) => world.ok('GET', '/apikeys', { as });

  it('a key with everything named (contract 2)', async () => {
    const input = {
      scopes: ['admin', 'read'],
      rateLimit: 42,
      teamId: team.id,
      expiresAt: '2099-01-01T00:00:00.000Z',
    };
    const answer = await create(admin.as, input);
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      id: expect.any(String),
      name: 'key',
      scopes: ['read', 'admin'],
      token: expect.stringMatching(/^svct_[0-9A-Za-z]{49}$/),
      rateLimit: 42,
      teamId: team.id,
      expiresAt: input.expiresAt,
    });
    const all = await world.api('GET', '/apikeys', { as: admin.as });
    expect(all.body.find(({ id }: { id: string }) => id === answer.body.id)).toEqual({
      id: answer.body.id,
      name: 'key',
      owner: { id: admin.id, email: admin.email },
      kind: 'api-key',
      scopes: ['read', 'admin'],
      rateLimit: 42,
      team,
      createdAt: expect.any(String),
      lastUsedAt: null,
      unusedSince: null,
      expiresAt: input.expiresAt,
    });
    expect(all.text).not.toContain(answer.body.token);
  });

  it('API keys are searched and paged on the server, newest first (contract 2)', async () => {
    const made: string[] = [];
    for (const name of ['Paged 1', 'paged 2', 'PAGED 3'])
      made.unshift((await create(admin.as, { name })).body.id);
    const ids = async (query: string) =>
      (await world.ok('GET', `/apikeys?${query}`, { as: admin.as })).map(({ id }: { id: string }) => id);
    expect(await ids('search=paged')).toEqual(made);
    expect(await ids('search=paged&limit=1')).toEqual(made.slice(0, 1));
    expect(await ids(`search=paged&before=${made[0]}`)).toEqual(made.slice(1));
    expect(await ids(`search=${admin.email.toUpperCase()}&limit=3`)).toEqual(made);
    expect(await ids('search=nothing%20like%20it')).toEqual([]);
    const answer = await world.api('GET', '/apikeys?before=00000000-0000-4000-8000-000000000000', {
      as: admin.as,
    });
    expect([answer.status, answer.body.message]).toEqual([400, 'before: is not a key or token']);
  });

  it('the default limit is 300 per minute, without team and expiry (contract 2)', async () => {
    expect((await create(admin.as, {})).body).toMatchObject({
      rateLimit: 300,
      teamId: null,
      expiresAt: null,
    });
  });

  it.each([
    [{ scopes: ['everything'] }, 'unknown_scope'],
    [{ scopes: [] }, 'bad_request'],
    [{ rateLimit: 0 }, 'invalid_rate_limit'],
    [{ rateLimit: -1 }, 'invalid_rate_limit'],
    [{ rateLimit: 1.5 }, 'invalid_rate_limit'],
    [{ rateLimit: 100_001 }, 'invalid_rate_limit'],
    [{ teamId: 'no such team' }, 'unknown_team'],
    [{ name: '' }, 'invalid_name'],
    [{ expiresAt: 'soon' }, 'invalid_expiry'],
  ])('refused: %j with %s (contract 2)', async (input, error) => {
    expectError(await create(admin.as, input), error);
  });

  it.each([1, 100_000])('limits from 1 to 100,000: %i (contract 2)', async (rateLimit) => {
    expect((await create(admin.as, { rateLimit })).body.rateLimit).toBe(rateLimit);
  });

  it('a key that an expiring key creates does not outlive it (spec 5.2)', async () => {
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    const source = await world.apiKey(admin.as, { scopes: ['admin'], expiresAt });
    expect((await create(source.as, {})).body.expiresAt).toBe(expiresAt);
    expectError(await create(source.as, { expiresAt: null }), 'expiry_exceeds_credential');
  });

  it('Profile tokens stand in the list too, with their owner (contract 2)', async () => {
    const member = await world.person();
    const pair = await world.pair(member.as);
    const row = (await list(admin.as)).find(({ id }: { id: string }) => id === pair.id);
    expect(row).toMatchObject({
      kind: 'profile',
      owner: { id: member.id, email: member.email },
      rateLimit: 300,
    });
  });

  it('an Admin revokes their own and those of Members, at once (contract 2)', async () => {
    const own = await world.apiKey(admin.as);
    const member = await world.person();
    const theirs = await world.pair(member.as);
    for (const { id, as } of [own, theirs]) {
      expect(await world.asks(as)).toBe('200');
      expect((await remove(admin.as, id)).status).toBe(204);
      expect(await world.asks(as)).toBe('401 invalid credentials');
      expectError(await remove(admin.as, id), 'not_found');
    }
  });

  it('an Admin does not revoke those of another Admin or a Super admin (contract 3.6)', async () => {
    const other = await world.person('Admin');
    for (const owner of [other, world.root]) {
      const key = await world.apiKey(owner.as);
      expectError(await remove(admin.as, key.id), 'not_found');
      expect(await world.asks(key.as)).toBe('200');
      expect((await remove(world.root.as, key.id)).status).toBe(204);
    }
  });

  it('a key is no Profile token: its owner revokes it here (contract 2)', async () => {
    const key = await world.apiKey(admin.as);
    expectError(await world.api('DELETE', `/profile/tokens/${key.id}`, { as: admin.as }), 'not_found');
    const own = await world.ok('GET', '/profile/tokens', { as: admin.as });
    expect(own.map(({ id }: { id: string }) => id)).not.toContain(key.id);
  });

  it('a key that a team’s key creates is bound to the same team (contract 2)', async () => {
    const key = await world.apiKey(admin.as, { scopes: ['admin'], teamId: team.id });
    expect((await create(key.as, {})).body.teamId).toBe(team.id);
    const bearer = await world.bearer(key.as);
    expect((await create(bearer, {})).body.teamId).toBe(team.id);
  });

  it('an expired key leaves the list (contract 2)', async () => {
    const input = { scopes: ['read'], expiresAt: new Date(Date.now() + 1_000).toISOString() };
    const key = await world.apiKey(admin.as, input);
    await expect.poll(() => world.asks(key.as), { timeout: 5000 }).toBe('401 invalid credentials');
    const ids = (await list(admin.as)).map(({ id }: { id: string }) => id);
    expect(ids).not.toContain(key.id);
  });
});
