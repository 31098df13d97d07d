import { once } from 'node:events';
import { IPhones } from '@svc/lab/phones';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type WebSocket from 'ws';
import { type Credentials, type Person, World } from '../conformance/support/world.ts';
import { startApi } from '../support/lab.ts';
import { until } from '../support/records.ts';
import { close, upgrade } from '../support/web-socket.ts';

const OWN = '00008101-000A1B2C3D4E001E';
const OTHER = '00008101-000A1B2C3D4E002E';

describe('iOS phones from elsewhere', () => {
  let phones: IPhones;
  let world: World;
  let holder: Person;
  let stranger: Person;
  let leaseId = '';

  beforeAll(async () => {
    phones = await IPhones.start({ phones: [{ udid: OWN }, { udid: OTHER, name: 'iPhone 15' }] });
    world = await World.start(startApi, { SVC_IOS: 'true', ...phones.env });
    holder = await world.person();
    stranger = await world.person();
    await until(
      () => world.ok('GET', '/devices', { as: world.root.as }),
      (devices) => devices.length === 2,
    );
    await lease();
    await world.ok('POST', '/leases', { as: stranger.as, json: { udid: OTHER, minutes: 30 } });
  });
  afterAll(async () => {
    await world.server.stop();
    await phones.stop();
  });

  const lease = async () => {
    const json = { udid: OWN, minutes: 30 };
    leaseId = (await world.ok('POST', '/leases', { as: holder.as, json })).leaseId;
  };
  const askTicket = (as: Credentials, udid = OWN) => world.api('POST', `/control/${udid}/usb/ticket`, { as });
  const open = async (): Promise<WebSocket> => {
    const { ticket } = (await askTicket(holder.as)).body;
    const { socket } = await upgrade(world.url, `/svc/api/control/${OWN}/usb?ticket=${ticket}`);
    if (socket === undefined) throw new Error('refused');
    return socket;
  };
  const answerTo = async (socket: WebSocket, message: object) => {
    const answered = once(socket, 'message');
    socket.send(JSON.stringify(message));
    return JSON.parse(String((await answered)[0]));
  };
  const answerOnce = async (service: string) => {
    const socket = await open();
    const answer = await answerTo(socket, { service });
    await close(socket);
    return answer;
  };

  it('only who leases the iOS phone or owns its session gets a ticket for usbmuxd (contract 16.2, 16.4)', async () => {
    expect((await askTicket(holder.as)).body).toEqual({ ticket: expect.any(String), expiresIn: 60 });
    for (const [as, udid, status, error] of [
      [stranger.as, OWN, 409, 'device_not_yours'],
      [holder.as, OTHER, 409, 'device_not_yours'],
      [world.root.as, OWN, 409, 'device_not_yours'],
      [holder.as, 'no-such-phone', 404, 'not_found'],
      [{}, OWN, 401, 'unauthenticated'],
    ] as const) {
      const { status: got, body } = await askTicket(as, udid);
      expect([got, body.error]).toEqual([status, error]);
    }
    const { as } = await world.pair(holder.as, { scopes: ['read', 'sessions'] });
    expect((await askTicket(as)).body).toMatchObject({ error: 'insufficient_scope', required: 'devices' });
  });

  it('a ticket of usbmuxd opens neither adb nor another phone, and works once (contract 16.1, 16.4)', async () => {
    const { ticket } = (await askTicket(holder.as)).body;
    for (const path of [`${OWN}/adb`, `${OTHER}/usb`])
      expect((await upgrade(world.url, `/svc/api/control/${path}?ticket=${ticket}`)).status).toBe(401);
    const path = `/svc/api/control/${OWN}/usb?ticket=${ticket}`;
    const { socket } = await upgrade(world.url, path);
    expect((await upgrade(world.url, path)).status).toBe(401);
    await close(socket);
    expect((await world.api('POST', `/control/${OWN}/adb/ticket`, { as: holder.as })).body.error).toBe(
      'no_such_source',
    );
  });

  it('a socket reaches a port of its phone and nothing else that usbmuxd offers (contract 16.4)', async () => {
    const socket = await open();
    expect(await answerTo(socket, { service: 'tcp:8100' })).toEqual({ ok: true });
    const answered = once(socket, 'message');
    socket.send(Buffer.from('GET /status HTTP/1.1\r\nHost: phone\r\nConnection: close\r\n\r\n'));
    expect(String((await answered)[0])).toMatch(/^HTTP\/1\.1 200/);
    await close(socket);
    for (const service of [
      'ReadPairRecord',
      `ReadPairRecord:${OWN}`,
      'tcp:0',
      'tcp:65536',
      'tcp:8100;2',
      'tcp:-1',
      'tcp:1e3',
      `tcp:8100\0`,
      'shell:id',
      'reverse:forward:tcp:1;tcp:2',
      '',
    ])
      expect(await answerOnce(service)).toEqual({
        ok: false,
        message: expect.stringContaining('svc does not allow the usb service'),
      });
    expect(await answerOnce('tcp:7')).toEqual({
      ok: false,
      message: 'the phone does not accept connections at port 7',
    });
  });

  it('connections to an iOS phone end with the lease and when the phone is unplugged (contract 16.3, 16.4)', async () => {
    const leased = await open();
    expect(await answerTo(leased, { service: 'tcp:62078' })).toEqual({ ok: true });
    const ended = once(leased, 'close');
    await world.ok('DELETE', `/leases/${leaseId}`, { as: holder.as });
    const [code, reason] = await ended;
    expect([code, String(reason)]).toEqual([1008, 'neither a lease nor a session of the caller']);
    await lease();
    const plugged = await open();
    const unplugged = once(plugged, 'close');
    phones.unplug(OWN);
    expect(String((await unplugged)[1])).toBe('the phone is away');
    phones.plug(OWN);
    await until(
      () => askTicket(holder.as),
      ({ status }) => status === 200,
    );
  });

  it('uses of an iOS phone are listed, can be cut, and leave rows in the audit trail (contract 16.3, 16.4)', async () => {
    const socket = await open();
    await answerTo(socket, { service: 'tcp:62078' });
    const path = `/control/${OWN}/usb/uses`;
    const [use] = await world.ok('GET', path, { as: holder.as });
    expect(use).toMatchObject({ owner: { id: holder.id }, sockets: 1 });
    expect(await world.ok('GET', path, { as: stranger.as })).toEqual([]);
    expect((await world.api('DELETE', `${path}/${use.id}`, { as: stranger.as })).status).toBe(404);
    const ended = once(socket, 'close');
    await world.ok('DELETE', `${path}/${use.id}`, { as: world.root.as });
    expect((await ended)[0]).toBe(1008);
    const rows = await until(
      async () => (await world.ok('GET', '/audit?limit=200', { as: world.root.as })).items,
      (items: { event: string; reason: string }[]) =>
        items.some(({ event, reason }) => event === 'device_usb' && reason === 'lockdown: 1 service'),
    );
    expect(rows).toContainEqual(
      expect.objectContaining({ event: 'device_usb', actor: holder.id, target: OWN, reason: 'connected' }),
    );
  });

  it('64 ports of an iOS phone can be connected, and 96 sockets can be open, and no more (contract 16.3, 16.4)', async () => {
    const sockets = await Promise.all(
      Array.from({ length: 64 }, async () => {
        const socket = await open();
        expect(await answerTo(socket, { service: 'tcp:62078' })).toEqual({ ok: true });
        return socket;
      }),
    );
    expect(await answerOnce('tcp:62078')).toEqual({ ok: false, message: expect.stringContaining('64') });
    const idle = await Promise.all(Array.from({ length: 32 }, open));
    const { ticket } = (await askTicket(holder.as)).body;
    expect((await upgrade(world.url, `/svc/api/control/${OWN}/usb?ticket=${ticket}`)).status).toBe(503);
    await Promise.all([...sockets, ...idle].map(close));
    expect(await answerOnce('tcp:62078')).toEqual({ ok: true });
  });
});
