import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectError } from './support/errors.ts';
import { type Credentials, type Person, targets, World } from './support/world.ts';

/** As many phones as the tests lease. */
const DEVICES = Array.from({ length: 12 }, (_, index) => ({
  udid: `listed-${index + 1}`,
  name: `Listed ${index + 1}`,
  platform: 'Android',
  osVersion: '14',
}));

describe.each(targets)('leases on $name', ({ start }) => {
  let world: World;
  let ana: Person;
  let bob: Person;
  let root: Credentials;

  beforeAll(async () => {
    world = await World.start(start, { SVC_DEVICES: JSON.stringify(DEVICES), SVC_LEASES_PER_ACCOUNT: '12' });
    ana = await world.person();
    bob = await world.person();
    root = world.root.as;
  });
  afterAll(() => world.server.stop());

  const lease = (as: Credentials, json: object) => world.api('POST', '/leases', { as, json });
  const phone = async (as: Credentials, udid: string) =>
    (await world.ok('GET', '/devices', { as })).find((each: { udid: string }) => each.udid === udid);
  const inMinutes = (minutes: number) => (text: string) =>
    Math.abs(Date.parse(text) - Date.now() - minutes * 60_000) < 10_000;

  it('POST /devices/match says which phones fit, in the order of a create, and why others do not (contract 14.4)', async () => {
    const match = (as: Credentials, capabilities: object) =>
      world.api('POST', '/devices/match', { as, json: { capabilities } });
    const wanted = {
      platformName: 'android',
      'svc:options': { device: { udids: ['listed-11', 'listed-12'], minVersion: '14' } },
    };
    const { status, body, headers } = await match(ana.as, { alwaysMatch: wanted });
    expect([status, headers['x-ratelimit-category']]).toEqual([200, 'read']);
    expect(body.fits).toEqual(
      ['11', '12'].map((at) => ({ udid: `listed-${at}`, name: `Listed ${at}`, status: 'free' })),
    );
    const why = [{ capability: 'svc:options.device.udids', wanted: 'listed-11, listed-12', has: 'listed-1' }];
    expect(body.others).toContainEqual({ udid: 'listed-1', name: 'Listed 1', why });
    const secrets = { 'svc:options': { accessKey: 'svc_wrong', token: 'svct_wrong', sessionToken: 'x' } };
    const fits = (await match(ana.as, secrets)).body.fits.map(({ udid }: { udid: string }) => udid);
    expect(fits).toEqual(expect.arrayContaining(DEVICES.map(({ udid }) => udid)));
    const refused = await match(ana.as, { 'svc:options': { device: { colour: 'red' } } });
    expect([refused.status, refused.body.error]).toEqual([400, 'invalid argument']);
    expect(refused.body.message).toContain('svc:options.device.colour');
  });

  it('POST /devices/match refuses capabilities that no create can have, and names the part (contract 14.4)', async () => {
    const refusals = [
      ...[[], 'x', 5, null].map((alwaysMatch) => [{ alwaysMatch }, 'alwaysMatch must be an object']),
      ...[{}, 'x', 5, null, [5], [{}, null]].map((firstMatch) => [
        { alwaysMatch: {}, firstMatch },
        'firstMatch must be an array of objects',
      ]),
      [{ firstMatch: Array(65).fill({}) }, 'firstMatch has more than 64 entries'],
    ] as const;
    for (const [capabilities, message] of refusals) {
      const refused = await world.api('POST', '/devices/match', { as: ana.as, json: { capabilities } });
      expect([refused.status, refused.body]).toEqual([400, { error: 'invalid argument', message }]);
    }
    for (const capabilities of [{}, { alwaysMatch: {} }, { firstMatch: [] }, { firstMatch: [{}] }])
      expect((await world.api('POST', '/devices/match', { as: ana.as, json: { capabilities } })).status).toBe(
        200,
      );
  });

  it('a lease is made with the conditions of svc:options.device (contract 14.4)', async () => {
    const made = await lease(ana.as, { device: { udids: ['listed-12'] }, minutes: 1 });
    expect([made.status, made.body.udid]).toEqual([201, 'listed-12']);
    expect((await lease(ana.as, { device: { udids: ['listed-12'] }, minutes: 1 })).body.error).toBe(
      'device_busy',
    );
    await world.ok('DELETE', `/leases/${made.body.leaseId}`, { as: ana.as });
    const both = await lease(ana.as, { device: { kind: 'real' }, platform: 'Android', minutes: 1 });
    expect([both.status, both.body.error]).toEqual([400, 'invalid_lease']);
    const unknown = await lease(ana.as, { device: { kinds: 'real' }, minutes: 1 });
    expect([unknown.status, unknown.body.message]).toEqual([400, expect.stringContaining('device.kinds')]);
  });

  it('a lease is made, shown with the phone and in the list, changed and ended (contract 2)', async () => {
    const made = await lease(ana.as, { udid: 'listed-1', minutes: 10 });
    expect(made.status).toBe(201);
    expect(made.body).toEqual({
      leaseId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      leaseToken: expect.stringMatching(/^svcl_[0-9A-Za-z]{49}$/),
      udid: 'listed-1',
      expiresAt: expect.toSatisfy(inMinutes(10)),
    });
    const { leaseId, expiresAt } = made.body;
    const owner = { id: ana.id, email: ana.email };
    expect((await phone(bob.as, 'listed-1')).lease).toEqual({ owner, expiresAt });
    const row = { leaseId, udid: 'listed-1', owner, expiresAt };
    expect(await world.ok('GET', '/leases', { as: ana.as })).toEqual([row]);
    expect(await world.ok('GET', '/leases', { as: bob.as })).toEqual([]);
    expect(await world.ok('GET', '/leases', { as: root })).toContainEqual(row);
    const path = `/leases/${leaseId}`;
    const changed = await world.api('PATCH', path, { as: root, json: { minutes: 480 } });
    expect([changed.status, changed.body]).toEqual([
      200,
      { ...row, expiresAt: expect.toSatisfy(inMinutes(480)) },
    ]);
    expectError(await world.api('PATCH', path, { as: ana.as, json: { minutes: 481 } }), 'invalid_lease');
    expect((await world.api('DELETE', path, { as: ana.as })).status).toBe(204);
    expect(await phone(ana.as, 'listed-1')).not.toHaveProperty('lease');
    const trail = await world.ok('GET', '/audit?limit=50', { as: root });
    const events = trail.items.filter(({ target }: { target: string }) => target === 'listed-1');
    expect(events.map(({ event }: { event: string }) => event)).toEqual(
      expect.arrayContaining(['lease_created', 'lease_changed', 'lease_ended']),
    );
    expect(JSON.stringify(trail)).not.toContain('svcl_');
  });

  it('a lease of someone else reads like an unknown one, on every method (contract 2)', async () => {
    const { leaseId } = (await lease(ana.as, { udid: 'listed-2', minutes: 1 })).body;
    for (const [method, json] of [
      ['PATCH', { minutes: 5 }],
      ['DELETE', undefined],
      // The access is checked before the body (contract 1, guard order).
      ['PATCH', {}],
      ['DELETE', { x: 1 }],
    ] as const) {
      const hidden = await world.api(method, `/leases/${leaseId}`, { as: bob.as, json });
      const unknown = await world.api(method, '/leases/unknown', { as: bob.as, json });
      expectError(hidden, 'not_found');
      expect(hidden.text).toBe(unknown.text);
    }
  });

  it('one of several simultaneous requests for one phone wins, and the others find it busy, admins included (contract 2)', async () => {
    const all = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        lease(index % 2 === 0 ? ana.as : root, { udid: 'listed-3', minutes: 5 }),
      ),
    );
    expect(all.filter(({ status }) => status === 201)).toHaveLength(1);
    for (const answer of all.filter(({ status }) => status !== 201)) expectError(answer, 'device_busy');
  });

  it.each([
    [{ minutes: 5 }, 'invalid_lease'],
    [{ udid: 'listed-4', platform: 'Android', minutes: 5 }, 'invalid_lease'],
    [{ udid: 'listed-4', minutes: 0 }, 'invalid_lease'],
    [{ udid: 'listed-4', minutes: 481 }, 'invalid_lease'],
    [{ udid: 'listed-4', minutes: 1.5 }, 'invalid_lease'],
    [{ udid: 'listed-4' }, 'bad_request'],
    [{ udid: 'listed-4', minutes: '5' }, 'bad_request'],
    [{ udid: 'listed-4', minutes: 5, forever: true }, 'bad_request'],
    [{ udid: 'nobody', minutes: 5 }, 'not_found'],
    [{ platform: 'iOS', minutes: 5 }, 'not_found'],
    [{ tags: ['gone'], minutes: 5 }, 'not_found'],
  ] as const)('%j is %s (contract 2)', async (json, code) => {
    expectError(await lease(ana.as, json), code);
  });

  it('a phone of a team one is not in reads like an unknown one (contract 2, 3.5)', async () => {
    const { id: teamId } = await world.ok('POST', '/teams', { as: root, json: { name: 'Leases' } });
    const member = await world.person('Member', { teamIds: [teamId] });
    await world.ok('PUT', '/device/listed-5/team', { as: root, json: { teamId } });
    const hidden = await lease(bob.as, { udid: 'listed-5', minutes: 5 });
    expectError(hidden, 'not_found');
    expect(hidden.text).toBe((await lease(bob.as, { udid: 'nobody', minutes: 5 })).text);
    const made = await lease(member.as, { udid: 'listed-5', minutes: 5 });
    expect(made.status).toBe(201);
    await world.ok('PUT', '/device/listed-5/team', { as: root, json: { teamId: null } });
    expect((await phone(bob.as, 'listed-5')).lease).toMatchObject({ owner: { id: member.id } });
    await world.ok('PUT', '/device/listed-5/team', { as: root, json: { teamId } });
    await world.api('DELETE', `/teams/${teamId}/members/${member.id}`, { as: root });
    expect(await phone(root, 'listed-5')).not.toHaveProperty('lease');
  });

  it('an account that is Active again at once has lost its leases all the same (contract 2, leases)', async () => {
    const member = await world.person();
    expect((await lease(member.as, { udid: 'listed-8', minutes: 5 })).status).toBe(201);
    for (const status of ['Inactive', 'Active'])
      await world.ok('PATCH', `/users/${member.id}`, { as: root, json: { status } });
    expect(await phone(root, 'listed-8')).not.toHaveProperty('lease');
  });

  it.each(['Inactive', 'deleted'] as const)(
    'a lease ends with its holder, %s (contract 2, leases)',
    async (how) => {
      const member = await world.person();
      const udid = how === 'deleted' ? 'listed-6' : 'listed-7';
      expect((await lease(member.as, { udid, minutes: 5 })).status).toBe(201);
      if (how === 'deleted') await world.api('DELETE', `/users/${member.id}`, { as: root });
      else await world.ok('PATCH', `/users/${member.id}`, { as: root, json: { status: 'Inactive' } });
      expect(await phone(root, udid)).not.toHaveProperty('lease');
      expect((await lease(bob.as, { udid, minutes: 5 })).status).toBe(201);
    },
  );
});
