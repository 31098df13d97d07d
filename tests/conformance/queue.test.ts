import { request } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openEvents } from '../support/event-stream.ts';
import { until } from '../support/records.ts';
import { expectError } from './support/errors.ts';
import { type Credentials, type Person, targets, World } from './support/world.ts';

const DEVICES = Array.from({ length: 8 }, (_, index) => ({
  udid: `listed-${index + 1}`,
  name: `Listed ${index + 1}`,
  platform: index < 6 ? 'Android' : 'iOS',
  osVersion: '14',
}));

describe.each(targets)('waiting for a phone on $name', ({ start }) => {
  let world: World;
  let ana: Person;
  let bob: Person;

  beforeAll(async () => {
    world = await World.start(start, { SVC_DEVICES: JSON.stringify(DEVICES) });
    ana = await world.person();
    bob = await world.person();
  });
  afterAll(() => world.server.stop());

  const lease = (as: Credentials, json: object) =>
    world.api('POST', '/leases', { as, json: { minutes: 5, ...json } });
  const end = (as: Credentials, id: string) => world.ok('DELETE', `/leases/${id}`, { as });
  const waiting = async (): Promise<number> =>
    (await world.ok('GET', '/capabilities', { as: ana.as })).queue.waiting;
  const untilWaiting = (count: number) => until(waiting, (seen) => seen === count);

  it('a lease request waits its turn, in the order of arrival (contract 13)', async () => {
    const held = (await lease(ana.as, { udid: 'listed-1' })).body;
    const first = lease(bob.as, { udid: 'listed-1', queueSeconds: 60 });
    await untilWaiting(1);
    const second = lease(ana.as, { udid: 'listed-1', queueSeconds: 60 });
    await untilWaiting(2);
    // A request for another phone is not delayed, and a request with `queueSeconds` 0 is refused.
    expect((await lease(ana.as, { udid: 'listed-2', queueSeconds: 60 })).status).toBe(201);
    expectError(await lease(ana.as, { udid: 'listed-1' }), 'device_busy');
    await end(ana.as, held.leaseId);
    expect(await first).toMatchObject({ status: 201, body: { udid: 'listed-1' } });
    await end(bob.as, (await first).body.leaseId);
    expect(await second).toMatchObject({ status: 201, body: { udid: 'listed-1' } });
    await untilWaiting(0);
  });

  it('a request whose wait has ended is refused exactly like one without a wait (contract 13)', async () => {
    await lease(ana.as, { udid: 'listed-3' });
    const headers = { 'x-request-id': 'same' };
    const send = (queueSeconds: number) =>
      world.api('POST', '/leases', {
        as: bob.as,
        headers,
        json: { udid: 'listed-3', minutes: 5, queueSeconds },
      });
    const [now, later] = [await send(0), await send(1)];
    expectError(later, 'device_busy');
    expect([later.status, later.text]).toEqual([now.status, now.text]);
    expect(Object.keys(later.headers).sort()).toEqual(Object.keys(now.headers).sort());
    const unknown = await lease(bob.as, { udid: 'nobody', queueSeconds: 60 });
    expectError(unknown, 'not_found');
  });

  it.each([-1, 61, 1.5, '5', null, true, [], {}])(
    'queueSeconds %j is invalid_lease (contract 13)',
    async (queueSeconds) => {
      expectError(await lease(ana.as, { udid: 'listed-8', queueSeconds }), 'invalid_lease');
    },
  );

  it('a pipelined request leaves the queue too when its client goes away (contract 13)', async () => {
    const held = (await lease(ana.as, { udid: 'listed-4' })).body;
    const { hostname, port, host } = new URL(world.url);
    const body = JSON.stringify({ udid: 'listed-4', minutes: 5, queueSeconds: 60 });
    const headers = { ...bob.as, host, origin: world.url, 'content-type': 'application/json' };
    const lines = Object.entries({ ...headers, 'content-length': body.length }).map((each) =>
      each.join(': '),
    );
    const client = connect({ host: hostname, port: Number(port) });
    client.write(['POST /svc/api/leases HTTP/1.1', ...lines, '', body].join('\r\n').repeat(2));
    await untilWaiting(2);
    client.destroy();
    await untilWaiting(0);
    await end(ana.as, held.leaseId);
  });

  it('a client that goes away leaves the queue and gets no phone (contract 13)', async () => {
    const held = (await lease(ana.as, { udid: 'listed-4' })).body;
    const body = JSON.stringify({ udid: 'listed-4', minutes: 5, queueSeconds: 60 });
    const gone = request(`${world.url}/svc/api/leases`, {
      method: 'POST',
      headers: { ...bob.as, origin: world.url, 'content-type': 'application/json' },
    });
    gone.on('error', () => undefined);
    gone.end(body);
    await untilWaiting(1);
    gone.destroy();
    await untilWaiting(0);
    await end(ana.as, held.leaseId);
    expect((await lease(ana.as, { udid: 'listed-4' })).status).toBe(201);
  });

  it('16 requests of an account can wait, and the next is refused like one without a wait (contract 13)', async () => {
    await lease(ana.as, { udid: 'listed-5' });
    const all = Array.from({ length: 16 }, () => lease(bob.as, { udid: 'listed-5', queueSeconds: 3 }));
    await untilWaiting(16);
    expectError(await lease(bob.as, { udid: 'listed-5', queueSeconds: 60 }), 'device_busy');
    const other = lease(ana.as, { udid: 'listed-5', queueSeconds: 1 });
    await untilWaiting(17);
    for (const answer of await Promise.all([...all, other])) expectError(answer, 'device_busy');
  });

  it('a waiting request is refused with the cause when it loses the account, the credential or the phone (contract 13)', async () => {
    const root = world.root.as;
    const { id: teamId } = await world.ok('POST', '/teams', { as: root, json: { name: 'Queue' } });
    const member = await world.person('Member', { teamIds: [teamId] });
    await world.ok('PUT', '/device/listed-6/team', { as: root, json: { teamId } });
    await lease(root, { udid: 'listed-6' });
    await lease(root, { platform: 'iOS' });
    await lease(root, { platform: 'iOS' });
    const admin = await world.person('Admin');
    const key = await world.apiKey(admin.as, { scopes: ['read', 'devices'] });
    const moved = lease(member.as, { udid: 'listed-6', queueSeconds: 60 });
    const revoked = lease(key.as, { udid: 'listed-7', queueSeconds: 60 });
    await untilWaiting(2);
    await world.api('DELETE', `/apikeys/${key.id}`, { as: admin.as });
    expectError(await revoked, 'invalid credentials');
    await world.api('DELETE', `/teams/${teamId}/members/${member.id}`, { as: root });
    expectError(await moved, 'not_found');
    const inactive = lease(member.as, { udid: 'listed-7', queueSeconds: 60 });
    await untilWaiting(1);
    await world.ok('PATCH', `/users/${member.id}`, { as: root, json: { status: 'Inactive' } });
    expectError(await inactive, 'invalid session');
    await untilWaiting(0);
  });

  it('the queue shows places, names only to Admins, and events and metrics its length (contract 13)', async () => {
    const root = world.root.as;
    await lease(root, { udid: 'listed-1' });
    await lease(root, { udid: 'listed-2' });
    const stream = await openEvents(world.url, ana.as);
    const first = lease(ana.as, { udid: 'listed-1', queueSeconds: 3 });
    await untilWaiting(1);
    const second = lease(bob.as, { platform: 'android', queueSeconds: 3 });
    await untilWaiting(2);
    expect(await world.ok('GET', '/queue', { as: ana.as })).toEqual({
      waiting: 2,
      items: [
        {
          kind: 'lease',
          place: 1,
          since: expect.stringMatching(/^\d{4}-.*Z$/),
          until: expect.stringMatching(/^\d{4}-.*Z$/),
          own: true,
          owner: { id: ana.id, email: ana.email },
          wants: { udid: 'listed-1', platform: null, tags: [] },
          because: null,
        },
        expect.objectContaining({
          own: false,
          owner: null,
          wants: { udid: null, platform: 'android', tags: [] },
        }),
      ],
    });
    const { items } = await world.ok('GET', '/queue', { as: root });
    expect(items.map(({ owner }: { owner: object }) => owner)).toEqual([
      { id: ana.id, email: ana.email },
      { id: bob.id, email: bob.email },
    ]);
    expect((await world.api('GET', '/metrics', { as: root })).text).toMatch(/^svc_queue_waiting 2$/m);
    // The lab samples its use every 5 s, and this lab has run for longer.
    const { phones } = await until(
      () => world.ok('GET', '/usage', { as: ana.as }),
      (usage) => usage.phones[0].presentSeconds > 0,
    );
    expect(phones.find(({ udid }: { udid: string }) => udid === 'listed-1')).toEqual({
      udid: 'listed-1',
      name: 'Listed 1',
      team: null,
      presentSeconds: expect.any(Number),
      busySeconds: 0,
      leasedSeconds: expect.any(Number),
      waitedSeconds: expect.any(Number),
    });
    await Promise.all([first, second]);
    const last = await stream.until(({ type, payload }) => type === 'queue_changed' && payload.waiting === 0);
    expect(last.payload).toEqual({ waiting: 0 });
    await stream.close();
  });

  it('the use of the week is of the phones that the caller sees, and by team only for Admins (contract 13)', async () => {
    const root = world.root.as;
    const team = await world.ok('POST', '/teams', { as: root, json: { name: 'Use' } });
    await world.ok('PUT', '/device/listed-8/team', { as: root, json: { teamId: team.id } });
    const own = await world.ok('GET', '/usage', { as: ana.as });
    expect(own.teams).toBeNull();
    expect(own.phones.map(({ udid }: { udid: string }) => udid)).not.toContain('listed-8');
    const week = Date.parse(own.to) - Date.parse(own.from);
    expect(week).toBeGreaterThan(167 * 3_600_000 - 1);
    expect(week).toBeLessThanOrEqual(168 * 3_600_000);
    const all = await world.ok('GET', '/usage', { as: root });
    const moved = all.phones.find(({ udid }: { udid: string }) => udid === 'listed-8');
    expect(moved.team).toEqual({ id: team.id, name: 'Use' });
    expect(all.teams).toEqual(expect.any(Array));
    expectError(await world.api('GET', '/usage'), 'unauthenticated');
    await world.ok('PUT', '/device/listed-8/team', { as: root, json: { teamId: null } });
  });
});
