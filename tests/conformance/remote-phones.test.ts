import { once } from 'node:events';
import type { Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { frame, okay, type ScriptedAdb, scriptedAdb } from '../devices/support/scripted-adb.ts';
import { until } from '../support/records.ts';
import { close, upgrade } from '../support/web-socket.ts';
import { expectError } from './support/errors.ts';
import { type Credentials, type Person, targets, World } from './support/world.ts';

const [LEASED, HIDDEN] = ['adb-1', 'adb-2'];
const DEVICES = [LEASED, HIDDEN].map((udid) => `${udid} device product:p model:m device:d\n`).join('');

/** Answers every service of a phone with its name. */
function serve(service: string, socket: Socket): void {
  if (service === 'host:track-devices-l') socket.write(okay(frame(DEVICES)));
  else if (service.startsWith('host:transport:')) socket.write(okay());
  else if (service.startsWith('shell:getprop')) socket.end(okay('14\n'));
  else socket.end(okay('ran'));
}

const ALLOWED = [
  ...['shell:ls', 'shell,v2,raw:ls', 'exec:ls', 'sync:', 'tcp:80', 'localabstract:a', 'localreserved:a'],
  ...[
    'localfilesystem:/a',
    'local:/a',
    'jdwp:1',
    'track-jdwp',
    'abb:package',
    'abb_exec:package',
    'framebuffer:',
  ],
];
const REFUSED: readonly (readonly [service: string, name: string])[] = [
  ...[
    'root',
    'unroot',
    'tcpip',
    'usb',
    'remount',
    'disable-verity',
    'enable-verity',
    'reboot',
    'sideload',
  ].map((name) => [`${name}:`, name] as const),
  ['tcpip:5555', 'tcpip'],
  ['reboot:bootloader', 'reboot'],
  ['sideload-host:1:2', 'sideload-host'],
  ['shell:reboot', 'shell:reboot'],
  ['shell,v2:reboot recovery', 'shell:reboot'],
  ['host:kill', 'host'],
  ['backup:all', 'backup'],
];

describe.each(targets)('phones on the own machine on $name', ({ start }) => {
  let adb: ScriptedAdb;
  let world: World;
  let holder: Person;
  let other: Person;
  let unassigned: Credentials;
  let agents: Readonly<Record<'locking' | 'reading', Credentials>>;

  beforeAll(async () => {
    adb = await scriptedAdb(serve);
    world = await World.start(start, { SVC_ADB: `127.0.0.1:${adb.port}` });
    const { as } = world.root;
    holder = await world.person('Admin');
    other = await world.person('Admin');
    await until(
      () => world.ok('GET', '/devices', { as }),
      (devices) => devices.filter(({ udid }: { udid: string }) => udid.startsWith('adb-')).length === 2,
    );
    const { id: teamId } = await world.ok('POST', '/teams', { as, json: { name: 'others' } });
    await world.ok('PUT', `/device/${HIDDEN}/team`, { as, json: { teamId } });
    unassigned = (await world.person()).as;
    await world.ok('POST', '/leases', { as: holder.as, json: { udid: LEASED, minutes: 60 } });
    const agent = (scopes: string[]) => world.bearer(holder.as, { audience: 'svc-mcp', scopes });
    agents = {
      locking: await agent(['svc:devices:read', 'svc:devices:lock']),
      reading: await agent(['svc:devices:read']),
    };
  });
  afterAll(async () => {
    await world?.server.stop();
    await adb?.close();
  });

  const askTicket = (as: Credentials, udid: string = LEASED as string) =>
    world.api('POST', `/control/${udid}/adb/ticket`, { as });
  const connectWith = (ticket: string) =>
    upgrade(world.url, `/svc/api/control/${LEASED}/adb?ticket=${ticket}`);
  const open = async () => {
    const { socket } = await connectWith((await askTicket(holder.as)).body.ticket);
    if (socket === undefined) throw new Error('refused');
    return socket;
  };
  /** Sends a first message. @returns the first answer */
  const answerTo = async (message: object) => {
    const socket = await open();
    const answered = once(socket, 'message');
    socket.send(JSON.stringify(message));
    const [content, isBinary] = await answered;
    await close(socket);
    return { isBinary, ...JSON.parse(String(content)) };
  };

  it('every credential of the holder with the scope devices gets a ticket for 60 seconds (contract 16.1)', async () => {
    const { as: pair } = await world.pair(holder.as, { scopes: ['read', 'devices'] });
    const { as: key } = await world.apiKey(holder.as, { scopes: ['devices'] });
    for (const as of [holder.as, pair, key, await world.bearer(holder.as), agents.locking]) {
      const { status, body } = await askTicket(as);
      expect([status, body]).toEqual([200, { ticket: expect.any(String), expiresIn: 60 }]);
    }
  });

  it('a caller who may not use a phone remotely gets 401, 403, 404 or 409, whatever their role (contract 16.2)', async () => {
    const { as: pair } = await world.pair(holder.as, { scopes: ['read', 'sessions'] });
    for (const as of [pair, agents.reading]) expectError(await askTicket(as), 'insufficient_scope');
    expect((await askTicket(pair)).body.required).toBe('devices');
    expectError(await askTicket({}), 'unauthenticated');
    for (const { as } of [other, world.root, { as: unassigned }])
      expectError(await askTicket(as), 'device_not_yours');
    expectError(await askTicket(world.root.as, HIDDEN), 'device_not_yours');
    const hidden = await askTicket(unassigned, HIDDEN);
    expectError(hidden, 'not_found');
    expect(hidden.text).toBe((await askTicket(unassigned, 'no-such-phone')).text);
    expect([403, 404, 409, 401]).toEqual([
      (await askTicket(pair)).status,
      hidden.status,
      (await askTicket(other.as)).status,
      (await askTicket({})).status,
    ]);
  });

  it('a ticket that a connection asks for over itself lives 60 seconds and opens one connection (contract 16.1)', async () => {
    const { ticket, expiresIn, isBinary } = await answerTo({ ticket: true });
    expect([expiresIn, isBinary]).toEqual([60, false]);
    const first = await connectWith(ticket);
    expect([first.status, (await connectWith(ticket)).status]).toEqual([101, 401]);
    await close(first.socket);
  });

  it.each(ALLOWED)('the adb service %s is allowed (contract 16.2)', async (service) => {
    expect(await answerTo({ service })).toEqual({ isBinary: false, ok: true });
    expect(adb.asked).toContain(service);
  });

  it.each(REFUSED)(
    'the adb service %s is refused with the name %s (contract 16.2)',
    async (service, name) => {
      expect(await answerTo({ service })).toEqual({
        isBinary: false,
        ok: false,
        message: `svc does not allow the adb service ${name}`,
      });
      expect(adb.asked).not.toContain(service);
    },
  );

  it('SVC_ADB_REMOTE=off refuses every ticket, also one for usbmuxd (contract 16.2)', async () => {
    const off = await World.start(start, { SVC_ADB: `127.0.0.1:${adb.port}`, SVC_ADB_REMOTE: 'off' });
    const { as } = off.root;
    await until(
      () => off.api('POST', '/leases', { as, json: { udid: HIDDEN, minutes: 5 } }),
      ({ status }) => status === 201,
    );
    for (const kind of ['adb', 'usb'])
      expectError(await off.api('POST', `/control/${HIDDEN}/${kind}/ticket`, { as }), 'no_such_source');
    await off.server.stop();
  });
});
