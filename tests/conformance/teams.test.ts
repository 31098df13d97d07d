import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectError } from './support/errors.ts';
import { type Credentials, type Person, targets, World } from './support/world.ts';

describe.each(targets)('teams on $name', ({ start }) => {
  let world: World;
  let admin: Person;

  beforeAll(async () => {
    world = await World.start(start);
    admin = await world.person('Admin');
  });
  afterAll(() => world.server.stop());

  const create = (as: Credentials, name: string) => world.api('POST', '/teams', { as, json: { name } });
  const team = async (name: string): Promise<string> => (await create(admin.as, name)).body.id;
  const remove = (id: string) => world.api('DELETE', `/teams/${id}`, { as: admin.as });
  const teamsOf = async ({ as }: Person) => (await world.ok('GET', '/auth/me', { as })).teams;

  it('a team has an id and a name; a taken name is a conflict (contract 2)', async () => {
    const answer = await create(admin.as, ' Blue ');
    expect([answer.status, answer.body]).toEqual([201, { id: expect.any(String), name: 'Blue' }]);
    expect(await world.ok('GET', '/teams', { as: admin.as })).toContainEqual(answer.body);
    expectError(await create(admin.as, 'Blue'), 'conflict');
    expectError(await create(admin.as, ''), 'invalid_name');
  });

  it('members join and leave, and see it on the next request (contract 2)', async () => {
    const member = await world.person();
    const id = await team('Green');
    const joined = await world.api('POST', `/teams/${id}/members`, {
      as: admin.as,
      json: { userId: member.id },
    });
    expect([joined.status, joined.body.id]).toEqual([201, member.id]);
    expect(await teamsOf(member)).toEqual([{ id, name: 'Green' }]);
    const list = await world.ok('GET', `/teams/${id}/members`, { as: admin.as });
    expect(list.map((row: { email: string }) => row.email)).toEqual([member.email]);
    const path = `/teams/${id}/members/${member.id}`;
    expect((await world.api('DELETE', path, { as: admin.as })).status).toBe(204);
    expectError(await world.api('DELETE', path, { as: admin.as }), 'not_found');
    expect(await teamsOf(member)).toEqual([]);
  });

  it('an Admin sees of the members whom they see among the users (contract 2, 3.6)', async () => {
    const id = await team('Mixed');
    const people = [await world.person(), await world.person('Admin'), await world.person('Super admin')];
    for (const { id: userId } of [...people, admin]) {
      await world.ok('POST', `/teams/${id}/members`, { as: world.root.as, json: { userId } });
    }
    const members = async ({ as }: Person) =>
      (await world.ok('GET', `/teams/${id}/members`, { as })).map((row: { id: string }) => row.id).sort();
    const users = async ({ as }: Person) =>
      (await world.ok('GET', '/users', { as })).map((row: { id: string }) => row.id);
    expect(await members(world.root)).toEqual([...people, admin].map((each) => each.id).sort());
    const seen = await members(admin);
    expect(seen).toEqual([people[0]?.id, admin.id].sort());
    expect(await users(admin)).toEqual(expect.arrayContaining(seen));
  });

  it('teams are set with the user too (contract 2)', async () => {
    const [one, two] = [await team('One'), await team('Two')];
    const member = await world.person('Member', { teamIds: [one, one] });
    expect(await teamsOf(member)).toEqual([{ id: one, name: 'One' }]);
    const json = { teamIds: [two] };
    await world.ok('PATCH', `/users/${member.id}`, { as: admin.as, json });
    expect(await teamsOf(member)).toEqual([{ id: two, name: 'Two' }]);
  });

  it('a team goes only when nothing belongs to it (contract 2)', async () => {
    const id = await team('Full');
    const member = await world.person('Member', { teamIds: [id] });
    const key = await world.apiKey(admin.as, { teamId: id });
    const refused = await remove(id);
    expectError(refused, 'team_not_empty');
    expect(refused.body).toMatchObject({ members: 1, devices: 0, apiKeys: 1 });
    await world.api('DELETE', `/teams/${id}/members/${member.id}`, { as: admin.as });
    await world.api('DELETE', `/apikeys/${key.id}`, { as: admin.as });
    const claims = [{ claim: 'repository_id', anyOf: ['74'] }];
    const issuer = 'https://ci.example.test';
    const rule = { name: 'ci', issuer, audience: 'lab', claims, scopes: ['read'], teamId: id };
    const { id: ruleId } = await world.ok('POST', '/trust-rules', { as: admin.as, json: rule });
    const bound = await remove(id);
    expectError(bound, 'team_not_empty');
    expect(bound.body).toMatchObject({ members: 0, devices: 0, apiKeys: 0, trustRules: 1 });
    await world.ok('DELETE', `/trust-rules/${ruleId}`, { as: admin.as });
    expect((await remove(id)).status).toBe(204);
    expectError(await remove(id), 'not_found');
    expectError(await world.api('GET', `/teams/${id}/members`, { as: admin.as }), 'not_found');
  });

  it('an Admin places Members and themselves, nobody else (contract 3.6)', async () => {
    const id = await team('Mine');
    const join = (userId: string) =>
      world.api('POST', `/teams/${id}/members`, { as: admin.as, json: { userId } });
    const other = await world.person('Admin');
    expectError(await join(other.id), 'role_exceeds_yours');
    expectError(await join(world.root.id), 'role_exceeds_yours');
    expectError(await join('nobody'), 'not_found');
    expect((await join(admin.id)).status).toBe(201);
    expect((await join(admin.id)).status).toBe(201);
  });

  it('a deleted user leaves their teams (contract 2)', async () => {
    const id = await team('Left');
    const member = await world.person('Member', { teamIds: [id] });
    await world.api('DELETE', `/users/${member.id}`, { as: world.root.as });
    expect(await world.ok('GET', `/teams/${id}/members`, { as: admin.as })).toEqual([]);
  });

  it('two requests at once make one team of a name (contract 2)', async () => {
    const answers = await Promise.all(Array.from({ length: 5 }, () => create(admin.as, 'Once')));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409]);
  });
});
