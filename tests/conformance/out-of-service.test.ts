import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectError } from './support/errors.ts';
import { type Credentials, type Person, targets, World } from './support/world.ts';

const DEVICES = ['first', 'second'].map((name) => ({
  udid: name,
  name,
  platform: 'Android',
  osVersion: '14',
}));
const HOUR_MS = 3_600_000;

describe.each(targets)('a phone out of service on $name', ({ start }) => {
  let world: World;
  let admin: Person;
  let member: Person;
  let key: Credentials;

  beforeAll(async () => {
    world = await World.start(start, { SVC_DEVICES: JSON.stringify(DEVICES) });
    admin = await world.person('Admin');
    member = await world.person();
    key = (await world.apiKey(admin.as, { scopes: ['admin'] })).as;
  });
  afterAll(() => world.server.stop());

  const path = (udid: string) => `/device/${udid}/maintenance`;
  const put = (as: Credentials, json: object, udid = 'first') => world.api('PUT', path(udid), { as, json });
  const lease = (udid: string) => world.api('POST', '/leases', { as: member.as, json: { udid, minutes: 5 } });
  const phone = async (udid: string) =>
    (await world.ok('GET', '/devices', { as: member.as })).find(
      (each: { udid: string }) => each.udid === udid,
    );

  it('a phone out of service fits no lease, is shown with its reason, and returns when an Admin ends it (contract 17.1)', async () => {
    expect((await phone('first')).outOfService).toBeNull();
    const until = new Date(Date.now() + HOUR_MS).toISOString();
    const out = await put(key, { reason: 'screen is broken', until });
    const expected = {
      reason: 'screen is broken',
      by: { id: admin.id, email: admin.email },
      since: expect.any(String),
      until,
    };
    expect([out.status, out.body.outOfService]).toEqual([200, expected]);
    expect((await phone('first')).outOfService).toEqual(expected);
    expectError(await lease('first'), 'device_busy');
    const any = await world.ok('POST', '/leases', {
      as: member.as,
      json: { platform: 'Android', minutes: 5 },
    });
    expect(any.udid).toBe('second');
    expect((await world.api('DELETE', path('first'), { as: admin.as })).status).toBe(204);
    expect((await world.api('DELETE', path('first'), { as: admin.as })).status).toBe(204);
    expect((await lease('first')).status).toBe(201);
    const { items } = await world.ok('GET', '/audit?limit=20', { as: admin.as });
    expect(items.map(({ event }: { event: string }) => event)).toEqual(
      expect.arrayContaining(['device_out_of_service', 'device_in_service']),
    );
  });

  it('a phone out of service is decided by Admins alone, and bad input changes nothing (contract 17.1)', async () => {
    expectError(await put(member.as, { reason: 'x' }), 'insufficient_role');
    const token = await world.pair(admin.as);
    expectError(await put(token.as, { reason: 'x' }), 'insufficient_scope');
    expectError(await put(key, { reason: 'x' }, 'unknown'), 'not_found');
    for (const json of [
      {},
      { reason: '' },
      { reason: ' ' },
      { reason: 'x'.repeat(201) },
      { reason: 'x', by: 1 },
    ])
      expectError(await put(key, json), 'bad_request');
    for (const until of ['tomorrow', '2020-01-01T00:00:00.000Z'])
      expectError(await put(key, { reason: 'x', until }), 'invalid_expiry');
    expect((await phone('first')).outOfService).toBeNull();
  });
});
