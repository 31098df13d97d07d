import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectError } from './support/errors.ts';
import { type Credentials, type Person, targets, World } from './support/world.ts';

const DEVICES = ['first', 'second', 'third'].map((name) => ({
  ...{ udid: name, name },
  ...{ platform: 'Android', osVersion: '14' },
}));
const NONE = { sessions: null, leases: null, minutes: null };

describe.each(targets)('the limits of teams and accounts on $name', ({ start }) => {
  let world: World;
  let admin: Person;
  let ana: Person;
  let bob: Person;
  let key: Credentials;
  let team: { id: string; name: string };

  beforeAll(async () => {
    world = await World.start(start, { SVC_DEVICES: JSON.stringify(DEVICES) });
    admin = await world.person('Admin');
    key = (await world.apiKey(admin.as, { scopes: ['admin'] })).as;
    team = (await world.api('POST', '/teams', { as: admin.as, json: { name: 'QA' } })).body;
    ana = await world.person('Member', { teamIds: [team.id] });
    bob = await world.person('Member', { teamIds: [team.id] });
  });
  afterAll(() => world.server.stop());

  const put = (kind: 'teams' | 'users', id: string, json: object, as: Credentials = key) =>
    world.api('PUT', `/${kind}/${id}/limits`, { as, json });
  const lease = (as: Credentials) =>
    world.api('POST', '/leases', { as, json: { platform: 'Android', minutes: 5 } });
  const shares = (as: Credentials) => world.ok('GET', '/usage/shares', { as });

  it('limits are set by an Admin, shown to those they apply to, and named in the refusal of a lease', async () => {
    const set = await put('teams', team.id, { leases: 1 });
    expect([set.status, set.body]).toEqual([200, { ...NONE, leases: 1 }]);
    const held = await lease(ana.as);
    expect(held.status).toBe(201);
    const refused = await lease(bob.as);
    expectError(refused, 'too_many_leases');
    expect(refused.body).toMatchObject({
      ...{ limit: 1, team },
      message: 'limit_reached: the team QA may have 1 lease at once, and has as many',
    });
    const used = { sessions: 0, leases: 1, minutes: 0 };
    const share = { kind: 'team', ...team, limits: { ...NONE, leases: 1 }, used };
    expect(await shares(bob.as)).toEqual([share]);
    expect(await shares((await world.person()).as)).toEqual([]);
    await put('users', ana.id, { minutes: 0 });
    const own = { kind: 'account', id: ana.id, name: ana.email, limits: { ...NONE, minutes: 0 }, used };
    expect(await shares(ana.as)).toEqual([share, own]);
    expect(await shares(admin.as)).toEqual([share, own]);
    expect(await shares(bob.as)).toEqual([share]);
    await put('teams', team.id, {});
    const outOfMinutes = await lease(ana.as);
    expectError(outOfMinutes, 'minutes_used_up');
    expect(outOfMinutes.body.retryAfter).toBeGreaterThan(0);
    expect(outOfMinutes.headers['retry-after']).toBe(String(outOfMinutes.body.retryAfter));
    expectError(
      await world.api('PATCH', `/leases/${held.body.leaseId}`, { as: ana.as, json: { minutes: 60 } }),
      'minutes_used_up',
    );
    expect((await put('users', ana.id, { sessions: null })).body).toEqual(NONE);
    expect(await shares(admin.as)).toEqual([]);
    await world.api('DELETE', `/leases/${held.body.leaseId}`, { as: ana.as });
  });

  it('the limit of leases holds when many leases are requested at the same time', async () => {
    await put('teams', team.id, { leases: 2 });
    const made = await Promise.all(
      Array.from({ length: 8 }, (_, at) => lease(at % 2 === 0 ? ana.as : bob.as)),
    );
    const kept = made.filter(({ status }) => status === 201);
    expect(kept).toHaveLength(2);
    for (const { status, body } of made) if (status !== 201) expect(body.error).toBe('too_many_leases');
    for (const { body } of kept)
      for (const { as } of [ana, bob]) await world.api('DELETE', `/leases/${body.leaseId}`, { as });
    await put('teams', team.id, {});
  });

  it('limits are changed by Admins alone, by an Admin not for another Admin, and bad input changes nothing', async () => {
    expectError(await put('teams', team.id, { leases: 1 }, ana.as), 'insufficient_role');
    expectError(
      await put('users', ana.id, { leases: 1 }, (await world.pair(admin.as)).as),
      'insufficient_scope',
    );
    const unknown = '3f0b6a52-7c1e-4d5a-9b7e-2a1d8c4e6f90';
    expectError(await put('teams', unknown, { leases: 1 }), 'not_found');
    expectError(await put('users', unknown, { leases: 1 }), 'not_found');
    const other = await world.person('Admin');
    for (const { id } of [other, world.root])
      expectError(await put('users', id, { leases: 1 }), 'role_exceeds_yours');
    for (const limits of [{ leases: 1 }, {}])
      expect((await put('users', other.id, limits, world.root.as)).status).toBe(200);
    for (const json of [
      { leases: -1 },
      { leases: 1.5 },
      { leases: '1' },
      { minutes: 1_000_001 },
      { sessions: 100_001 },
      { phones: 1 },
    ])
      expectError(await put('teams', team.id, json), 'bad_request');
    expect(await shares(admin.as)).toEqual([]);
  });

  it('limits are gone with their account and their team', async () => {
    const cara = await world.person();
    const { body: other } = await world.api('POST', '/teams', {
      as: admin.as,
      json: { name: 'Short-lived' },
    });
    await put('users', cara.id, { sessions: 1 });
    await put('teams', other.id, { sessions: 1 });
    expect(await shares(admin.as)).toHaveLength(2);
    await world.api('DELETE', `/users/${cara.id}`, { as: key });
    await world.api('DELETE', `/teams/${other.id}`, { as: key });
    expect(await shares(admin.as)).toEqual([]);
  });
});
