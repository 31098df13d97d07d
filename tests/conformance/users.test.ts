import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectError } from './support/errors.ts';
import { type Credentials, type Person, type Role, targets, World } from './support/world.ts';

describe.each(targets)('users on $name', ({ start }) => {
  let world: World;
  let admin: Person;

  beforeAll(async () => {
    world = await World.start(start);
    admin = await world.person('Admin');
  });
  afterAll(() => world.server.stop());

  let people = 0;
  const create = (as: Credentials, json: object) => {
    people += 1;
    const input = { email: `new-${people}@lab.test`, name: 'New', role: 'Member', ...json };
    return world.api('POST', '/users', { as, json: input });
  };
  const change = (as: Credentials, id: string, json: object) =>
    world.api('PATCH', `/users/${id}`, { as, json });
  const remove = (as: Credentials, id: string) => world.api('DELETE', `/users/${id}`, { as });

  it('a user with a password of their own (spec 2 User, 4 users, contract 2)', async () => {
    const answer = await create(admin.as, { email: 'Ada@Lab.Test', password: 'twelve letters' });
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      id: expect.any(String),
      email: 'Ada@Lab.Test',
      name: 'New',
      role: 'Member',
      status: 'Active',
      teams: [],
      createdAt: expect.any(String),
      lastSignInAt: null,
      accessKey: expect.stringMatching(/^svc_[0-9A-Za-z]{24}$/),
    });
    expect(await world.asks(await world.signIn('ada@lab.test', 'twelve letters'))).toBe('200');
  });

  it('a user created without a password gets a temporary one that works, and only the answer contains it (contract 2)', async () => {
    const { body } = await create(admin.as, {});
    const as = await world.signIn(body.email, body.temporaryPassword);
    const me = await world.ok('GET', '/auth/me', { as });
    expect(me.passwordChangeRequired).toBe(true);
    const list = await world.api('GET', '/users', { as: admin.as });
    expect(list.text).not.toContain(body.temporaryPassword);
  });

  it('the list has no key and no hash (contract 2)', async () => {
    const [first] = await world.ok('GET', '/users', { as: world.root.as });
    const fields = ['createdAt', 'email', 'id', 'lastSignInAt', 'name', 'role', 'status', 'teams'];
    expect(Object.keys(first).sort()).toEqual(fields);
  });

  it('the list of users says until when a temporary password works, and nothing once its owner has replaced it (contract 2)', async () => {
    const { body: made } = await create(admin.as, { role: 'Member' });
    const shown = async () =>
      (await world.ok('GET', '/users', { as: admin.as })).find(({ id }: { id: string }) => id === made.id);
    const days =
      (Date.parse((await shown()).temporaryPasswordUntil) - Date.parse(made.createdAt)) / 86_400_000;
    expect(days).toBe(7);
    const as = await world.signIn(made.email, made.temporaryPassword);
    expect((await shown()).temporaryPasswordUntil).toBeNull();
    const json = { oldPassword: made.temporaryPassword, newPassword: 'one of my own, at last' };
    await world.ok('POST', '/auth/change-password', { as, json });
    expect(await shown()).not.toHaveProperty('temporaryPasswordUntil');
  });

  it('the list of users is searched and paged on the server, newest first, for what one sees (contract 2)', async () => {
    const team = await world.ok('POST', '/teams', { as: admin.as, json: { name: 'Searched' } });
    const made: string[] = [];
    for (const name of ['Finder A', 'finder b', 'FINDER c']) {
      const { body } = await create(world.root.as, { name, role: 'Member', teamIds: [team.id] });
      made.unshift(body.id);
    }
    const { body: hidden } = await create(world.root.as, {
      name: 'finder d',
      role: 'Admin',
      teamIds: [team.id],
    });
    const ids = async (as: Credentials, query: string) =>
      (await world.ok('GET', `/users?${query}`, { as })).map(({ id }: { id: string }) => id);
    expect(await ids(admin.as, 'search=FINDER')).toEqual(made);
    expect(await ids(world.root.as, 'search=finder')).toEqual([hidden.id, ...made]);
    expect(await ids(admin.as, `team=${team.id}`)).toEqual(made);
    expect(await ids(admin.as, 'search=finder&limit=2')).toEqual(made.slice(0, 2));
    expect(await ids(admin.as, `search=finder&before=${made[1]}`)).toEqual(made.slice(2));
    expect(await ids(admin.as, 'search=%25')).toEqual([]);
    expect(await ids(admin.as, 'search=finder&team=nobody')).toEqual([]);
    // A user that the caller may not see is refused like an unknown one.
    const unknown = await world.api('GET', '/users?before=00000000-0000-4000-8000-000000000000', {
      as: admin.as,
    });
    const unseen = await world.api('GET', `/users?before=${hidden.id}`, { as: admin.as });
    expect(unknown.body).toEqual({ error: 'bad_request', message: 'before: is not a user' });
    expect([unseen.status, unseen.text]).toEqual([unknown.status, unknown.text]);
  });

  it('an Admin sees Members and themselves, a Super admin everyone (contract 2)', async () => {
    await Promise.all([world.person('Admin'), world.person('Super admin'), world.person('Member')]);
    const seen = async (as: Credentials) =>
      (await world.ok('GET', '/users', { as })).map(({ id, role }: { id: string; role: Role }) => [id, role]);
    const others = (await seen(admin.as)).filter(([, role]: [string, Role]) => role !== 'Member');
    expect(others).toEqual([[admin.id, 'Admin']]);
    const roles = new Set((await seen(world.root.as)).map(([, role]: [string, Role]) => role));
    expect(roles).toEqual(new Set(['Member', 'Admin', 'Super admin']));
  });

  it.each([
    [{ email: 'no address' }, 'bad_request'],
    [{ email: 'a\0b@lab.test' }, 'bad_request'],
    [{ email: 'a b@lab.test' }, 'bad_request'],
    [{ email: 'a\ud800b@lab.test' }, 'bad_request'],
    [{ name: 'half a \ud800 pair' }, 'invalid_name'],
    [{ name: '' }, 'invalid_name'],
    [{ role: 'Owner' }, 'bad_request'],
    [{ role: 'admin' }, 'bad_request'],
    [{ password: 'short' }, 'password must be at least 8 characters'],
    [{ password: '😀😀😀😀😀😀😀' }, 'password must be at least 8 characters'],
    [{ password: 'x'.repeat(73) }, 'password is too long'],
    [{ password: '😀'.repeat(19) }, 'password is too long'],
    [{ password: 'with a \0 in it' }, 'password has an unusable character'],
    [{ teamIds: ['no such team'] }, 'unknown_team'],
  ])('refused: %j with %s (spec 2 User, contract 2)', async (input, error) => {
    expectError(await create(world.root.as, input), error);
  });

  it.each(['😀'.repeat(18), '        ', 'x'.repeat(72)])(
    'any other password will do: %j (contract 4)',
    async (password) => {
      const { body } = await create(world.root.as, { password });
      expect(await world.asks(await world.signIn(body.email, password))).toBe('200');
    },
  );

  it('an e-mail is taken in any letter case, also by two requests at once (contract 2)', async () => {
    const answers = await Promise.all(
      ['Same@lab.test', 'same@LAB.test', 'SAME@lab.test'].map((email) => create(world.root.as, { email })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
    for (const answer of answers.filter(({ status }) => status !== 201)) expectError(answer, 'conflict');
  });

  it.each(['Admin', 'Super admin'] as const)(
    'an Admin makes no %s, nor promotes to one (contract 3.6)',
    async (role) => {
      expectError(await create(admin.as, { role }), 'role_exceeds_yours');
      const member = await world.person();
      expectError(await change(admin.as, member.id, { role }), 'role_exceeds_yours');
      expectError(await change(member.as, member.id, { role }), 'insufficient_role');
    },
  );

  it.each(['Admin', 'Super admin'] as const)('an Admin does nothing to a %s (contract 3.6)', async (role) => {
    const other = await world.person(role);
    for (const json of [{ name: 'Mine' }, { role: 'Member' }, { status: 'Inactive' }, { teamIds: [] }]) {
      expectError(await change(admin.as, other.id, json), 'role_exceeds_yours');
    }
    expectError(await remove(admin.as, other.id), 'role_exceeds_yours');
    expect(await world.asks(other.as)).toBe('200');
  });

  it('nobody changes their own role or status, nor deletes themselves (contract 2)', async () => {
    for (const { as, id } of [admin, world.root]) {
      expectError(await change(as, id, { role: 'Member' }), 'cannot_change_yourself');
      expectError(await change(as, id, { status: 'Inactive' }), 'cannot_change_yourself');
      expectError(await remove(as, id), 'cannot_change_yourself');
      expect((await change(as, id, { name: 'Me' })).body.name).toBe('Me');
    }
  });

  it('a change answers with the user as they are now (contract 2)', async () => {
    const member = await world.person();
    const json = { name: 'Grace', role: 'Admin', status: 'Inactive' };
    expect((await change(world.root.as, member.id, json)).body).toMatchObject({ id: member.id, ...json });
    expect((await change(world.root.as, member.id, {})).body).toMatchObject(json);
  });

  it('nothing of a change is kept when one part is refused (contract 2)', async () => {
    const member = await world.person();
    const json = { name: 'Other', status: 'Inactive', teamIds: ['no such team'] };
    expectError(await change(world.root.as, member.id, json), 'unknown_team');
    const list = await world.ok('GET', '/users', { as: world.root.as });
    const row = list.find(({ id }: { id: string }) => id === member.id);
    expect(row).toMatchObject({ status: 'Active', name: expect.stringContaining('Person') });
  });

  it('a deleted user is gone with everything they had (contract 2)', async () => {
    const member = await world.person('Admin');
    const pair = await world.pair(member.as);
    expect((await remove(world.root.as, member.id)).status).toBe(204);
    expectError(await remove(world.root.as, member.id), 'not_found');
    expectError(await change(world.root.as, member.id, {}), 'not_found');
    const keys = await world.ok('GET', '/apikeys', { as: world.root.as });
    expect(keys.map(({ id }: { id: string }) => id)).not.toContain(pair.id);
    const again = await create(world.root.as, { email: member.email, password: member.password });
    expect(again.status).toBe(201);
    expect(await world.asks(pair.as)).toBe('401 invalid credentials');
    expect(await world.asks(member.as)).toBe('401 invalid session');
  });
});
