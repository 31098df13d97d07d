import type { Socket } from 'node:net';
import { IPhones } from '@svc/lab/phones';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call, type HttpResponse } from '../conformance/support/call.ts';
import { type Credentials, World } from '../conformance/support/world.ts';
import { frame, okay, type ScriptedAdb, scriptedAdb } from '../devices/support/scripted-adb.ts';
import { startLab } from '../support/lab.ts';
import { until } from '../support/records.ts';
import { close, upgrade } from '../support/web-socket.ts';
import { type Row, TARGETS } from './support/credential-targets.ts';
import { type Everyone, everyone, type Held, TICKET_KINDS } from './support/every-credential.ts';

const ADB_PHONE = 'adb-1';
const USB_PHONE = '00008101-000A1B2C3D4E001E';
const DEVICES = `${ADB_PHONE} device product:p model:Pixel_8 device:d transport_id:1\n`;
const METRICS_TOKEN = 'metrics-token-of-this-test-0123456789';

function serve(service: string, socket: Socket): void {
  if (service === 'host:track-devices-l') socket.write(okay(frame(DEVICES)));
  else if (service.startsWith('host:transport:')) socket.write(okay());
  else if (service.endsWith(':features')) socket.end(okay(frame('shell_v2,cmd')));
  else if (service.startsWith('shell:getprop')) socket.end(okay('14\n'));
  else socket.end(`FAIL${frame('closed')}`);
}

function wordOf({ status, body }: HttpResponse): string {
  const error = body?.error ?? body?.value?.error;
  return `${status} ${typeof error === 'string' ? error : ''}`.trim();
}

describe('every kind of credential at every target', () => {
  let adb: ScriptedAdb;
  let phones: IPhones;
  let world: World;
  let all: Everyone;

  beforeAll(async () => {
    adb = await scriptedAdb(serve);
    phones = await IPhones.start({ phones: [{ udid: USB_PHONE }] });
    world = await World.start(startLab, {
      SVC_REQUIRE_COMMAND_AUTH: 'true',
      SVC_PUBLIC_URL: 'https://lab.example',
      SVC_SPECTATORS: 'anyone',
      SVC_METRICS_TOKEN: METRICS_TOKEN,
      SVC_ADB: `127.0.0.1:${adb.port}`,
      SVC_IOS: 'true',
      ...phones.env,
    });
    await until(
      () => world.ok('GET', '/devices', { as: world.root.as }),
      (devices: { udid: string }[]) =>
        [ADB_PHONE, USB_PHONE].every((udid) => devices.some((each) => each.udid === udid)),
    );
    all = await everyone(world, { adbPhone: ADB_PHONE, usbPhone: USB_PHONE, metricsToken: METRICS_TOKEN });
  });
  afterAll(async () => {
    await world?.server.stop();
    await phones?.stop();
    await adb?.close();
  });

  /** Removes what a target has made, so that its bounds do not refuse the next kind. */
  const tidy = async (made: HttpResponse) => {
    const { held, owner } = all;
    if (made.body?.watchId !== undefined)
      await world.api('DELETE', `/control/${held.adbPhone}/watch/${made.body.watchId}`, { as: owner.as });
    if (made.body?.attachId !== undefined)
      await world.api('DELETE', `/session/${held.sessionId}/attach/${made.body.attachId}`, { as: owner.as });
  };

  it.each(Object.keys(TARGETS))(
    '%s is open to the credentials that it is for, and to no other (contract 2, 3, 4)',
    async (name) => {
      const { target, expected, rest = '401' } = TARGETS[name] as Row;
      const wanted: Record<string, string> = {};
      for (const kind of all.credentials.keys()) wanted[kind] = rest;
      for (const [word, kinds] of Object.entries(expected)) for (const kind of kinds) wanted[kind] = word;
      const found: Record<string, string> = {};
      for (const [kind, as] of all.credentials) {
        const answer = await target(world, all.held, as);
        const word = wordOf(answer);
        found[kind] = wanted[kind] === '401' && answer.status === 401 ? '401' : word;
        await tidy(answer);
      }
      if (name === 'a phone out of service')
        await world.ok('DELETE', '/device/virtual-4/maintenance', { as: world.root.as });
      expect(found).toEqual(wanted);
    },
  );

  it.each([
    ['adb', 'adb', (held: Held) => `/svc/api/control/${held.adbPhone}/adb`],
    ['usbmuxd', 'usb', (held: Held) => `/svc/api/control/${held.usbPhone}/usb`],
    ['the log of a phone', 'stream', (held: Held) => `/svc/api/control/${held.phone}/logs`],
    ['live events', 'events', () => '/svc/api/events'],
  ] as const)('the socket of %s opens for its own ticket alone (contract 4)', async (_, own, path) => {
    const opened: string[] = [];
    let tried = 0;
    const open = async (kind: string, query: string, as: Credentials = {}) => {
      const { status, socket } = await upgrade(world.url, `${path(all.held)}${query}`, { ...as });
      await close(socket);
      tried += 1;
      if (status !== 401) opened.push(`${kind}: ${status}`);
    };
    for (const [kind, secret] of all.secrets) await open(kind, `?ticket=${secret}`);
    for (const kind of TICKET_KINDS) await open(`${kind} ticket`, `?ticket=${await all.ticket(kind)}`);
    for (const [kind, as] of all.credentials) await open(`${kind} without a ticket`, '', as);
    expect(opened).toEqual([`${own} ticket: 101`]);
    expect(tried).toBe(all.secrets.size + TICKET_KINDS.length + all.credentials.size);
  });

  it.each([
    ['an attach address', '404 invalid session id', ['attach secret']],
    ['a link for anyone', '404 not_found', []],
    ['the stream of a link', '401 invalid ticket', []],
  ] as const)('%s opens for its own secret alone (contract 4, 15.4)', async (what, refusal, admitted) => {
    const { held } = all;
    const open = (secret: string) => {
      if (what === 'an attach address')
        return call(world.url, 'GET', `/svc/attach/${secret}/session/${held.sessionId}/timeouts`);
      return what === 'a link for anyone'
        ? world.api('POST', '/watch/anyone', { json: { secret: secret.slice(0, 100) } })
        : world.api('GET', `/watch/stream?ticket=${secret.slice(0, 100)}`);
    };
    const secrets = new Map(all.secrets);
    for (const kind of TICKET_KINDS) secrets.set(`${kind} ticket`, await all.ticket(kind));
    for (const [kind, secret] of secrets) {
      const isAdmitted = admitted.some((each) => each === kind);
      expect([kind, wordOf(await open(secret))]).toEqual([kind, isAdmitted ? '200' : refusal]);
    }
  });

  it('everything that an agent has opened ends with its stop, and what its account holds goes on (contract 4, 12)', async () => {
    const { held, owner, credentials } = all;
    const as = credentials.get('bearer of an agent') as Credentials;
    const attached = await world.ok('POST', `/session/${held.sessionId}/attach`, { as, json: {} });
    const secret = attached.url.split('/').at(-1) as string;
    const command = (used: string) =>
      call(world.url, 'GET', `/svc/attach/${used}/session/${held.sessionId}/timeouts`);
    expect((await command(secret)).status).toBe(200);
    const link = await world.ok('POST', `/control/${held.adbPhone}/watch`, { as, json: { for: 'anyone' } });
    const opening = { json: { secret: link.url.split('#')[1] } };
    expect((await world.api('POST', '/watch/anyone', opening)).status).toBe(200);
    const { ticket } = await world.ok('POST', `/control/${held.adbPhone}/adb/ticket`, { as });
    const unused = (await world.ok('POST', `/control/${held.adbPhone}/adb/ticket`, { as })).ticket;
    const adbPath = (used: string) => `/svc/api/control/${held.adbPhone}/adb?ticket=${used}`;
    const { socket } = await upgrade(world.url, adbPath(ticket));
    const closed = new Promise((done) => socket?.once('close', done));

    const agents = (await world.ok('GET', '/agents', { as: owner.as })) as { id: string; scopes: string[] }[];
    const { id } = agents.find(({ scopes }) => scopes.includes('auto:use')) as { id: string };
    expect((await world.api('DELETE', `/agents/${id}`, { as: owner.as })).status).toBe(204);
    expect(await closed).toBe(1008);
    await until(
      async () => [
        (await command(secret)).status,
        (await world.api('POST', '/watch/anyone', opening)).status,
      ],
      (statuses) => statuses.join() === '404,404',
    );
    expect((await upgrade(world.url, adbPath(unused))).status).toBe(401);
    expect((await world.api('POST', `/session/${held.sessionId}/attach`, { as, json: {} })).status).toBe(401);
    expect((await command(held.attachSecret)).status).toBe(200);
    expect((await world.api('POST', `/control/${held.adbPhone}/adb/ticket`, { as: owner.as })).status).toBe(
      200,
    );
  });
});
