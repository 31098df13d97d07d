import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectError } from './support/errors.ts';
import { type Credentials, targets, World } from './support/world.ts';

describe.each(targets)('the log lines of a node on $name', ({ start }) => {
  let world: World;

  beforeAll(async () => {
    world = await World.start(start, { SVC_NODE_ALLOW: '127.0.0.1' });
  });
  afterAll(() => world.server.stop());

  const PATH = `/nodes/${encodeURIComponent('127.0.0.1:9')}/log`;
  const register = (as: Credentials) =>
    world.api('POST', '/nodes', {
      as,
      json: { url: 'http://127.0.0.1:9', version: '0.0.1', devices: [{ udid: 'far-1' }] },
    });

  it('the log lines of a node are read by Admins alone, newest first, and name a refusal once (contract 8.1)', async () => {
    const admin = await world.person('Admin');
    const other = await world.person('Admin');
    const member = await world.person();
    expectError(await world.api('GET', PATH, { as: admin.as }), 'not_found');
    expect((await register(admin.as)).status).toBe(200);
    for (let each = 0; each < 2; each++) expectError(await register(other.as), 'conflict');

    const { items } = await world.ok('GET', PATH, { as: other.as });
    const at = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(items).toEqual([
      {
        at,
        level: 'warn',
        message: expect.stringContaining(
          'was refused: the node 127.0.0.1:9 was registered by another account',
        ),
      },
      { at, level: 'info', message: 'Node 127.0.0.1:9 is present' },
      {
        at,
        level: 'warn',
        message: expect.stringMatching(/^Node 127\.0\.0\.1:9 runs svc 0\.0\.1, this hub /),
      },
    ]);
    expect(JSON.stringify(items)).not.toContain(other.email);

    expectError(await world.api('GET', PATH, { as: member.as }), 'insufficient_role');
    expectError(await world.api('GET', PATH), 'unauthenticated');
    expect((await world.api('DELETE', PATH.slice(0, -4), { as: admin.as })).status).toBe(204);
    expectError(await world.api('GET', PATH, { as: admin.as }), 'not_found');
  });
});

describe.each(targets)('a phone that its node has put out of service on $name', ({ start }) => {
  let world: World;

  beforeAll(async () => {
    world = await World.start(start, { SVC_NODE_ALLOW: '127.0.0.1' });
  });
  afterAll(() => world.server.stop());

  it('a phone that its node has put out of service is shown with reason and health, fits no lease, and returns with the report of its node (contract 17.1)', async () => {
    const admin = await world.person('Admin');
    const register = (state: object) =>
      world.api('POST', '/nodes', {
        as: admin.as,
        json: { url: 'http://127.0.0.1:9', version: '0.0.1', devices: [{ udid: 'far-1', ...state }] },
      });
    const phone = async () =>
      (await world.ok('GET', '/devices', { as: admin.as })).find(
        ({ udid }: { udid: string }) => udid === 'far-1',
      );
    const lease = () => world.api('POST', '/leases', { as: admin.as, json: { udid: 'far-1', minutes: 5 } });
    const health = { battery: 3, temperature: null, storageFree: 1_000, checkedAt: 1_000 };
    const outOfService = { reason: 'it is empty', isByLab: true, since: 2_000, until: 3_000 };

    expect((await register({ outOfService, health })).status).toBe(200);
    expect(await phone()).toMatchObject({
      outOfService: {
        ...{ reason: 'it is empty', by: null },
        ...{ since: '1970-01-01T00:00:02.000Z', until: '1970-01-01T00:00:03.000Z' },
      },
      health: { ...health, checkedAt: '1970-01-01T00:00:01.000Z' },
    });
    expectError(await lease(), 'device_busy');

    expectError(await register({ outOfService: { ...outOfService, since: 9e15 } }), 'bad_request');
    expect((await register({})).status).toBe(200);
    expect(await phone()).toMatchObject({ outOfService: null, health: null });
    expect((await lease()).status).toBe(201);
  });
});
