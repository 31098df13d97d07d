import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openApp, type RunningApp } from '../support/app.ts';
import { freePort, freshDataDir } from '../support/lab.ts';
import {
  type AdbScript,
  frame,
  okay,
  type ScriptedAdb,
  scriptedAdb,
  wellBehaved,
} from './support/scripted-adb.ts';
import { packed, scriptedUsbmuxd } from './support/scripted-usbmuxd.ts';

const LINES = [
  'u1 device model:Pixel_9 transport_id:1',
  'u2 unauthorized transport_id:2',
  'u3 offline transport_id:3',
  'u4 no permissions (user in plugdev group; are your udev rules wrong?); see [http://x]',
  'u5 recovery transport_id:5',
].map((line) => `${line}\n`);
const FOUND = [
  { udid: 'u1', name: 'Pixel 9', osVersion: null, state: 'ready' },
  { udid: 'u2', name: null, osVersion: null, state: 'unauthorized' },
  { udid: 'u3', name: null, osVersion: null, state: 'offline' },
  { udid: 'u4', name: null, osVersion: null, state: 'no permissions' },
  { udid: 'u5', name: null, osVersion: null, state: 'other' },
];

let ends: (() => unknown)[];
let now: number;
beforeEach(() => {
  ends = [];
  now = Date.now();
});
afterEach(async () => {
  for (const end of ends.reverse()) await end();
});

/** An adb server that lists `lines()`, also to a client that asks once. */
function listing(lines: () => string): AdbScript {
  const others = wellBehaved(lines);
  return (service, socket) =>
    service === 'host:devices-l' ? socket.end(okay(frame(lines()))) : others(service, socket);
}

async function adb(script: AdbScript = listing(() => LINES.join(''))): Promise<ScriptedAdb> {
  const server = await scriptedAdb(script);
  ends.push(() => server.close());
  return server;
}

/** Body of any response. Each test casts it to the expected shape. */
// biome-ignore lint/suspicious/noExplicitAny: the tests compare the bodies
type Body = any;

type Api = (method: 'GET' | 'PUT', path: string, json?: object) => Promise<{ status: number; body: Body }>;

async function openLab(
  env: Record<string, string>,
): Promise<{ app: RunningApp; api: Api; stop(): Promise<void> }> {
  const app = await openApp(env, { clock: { now: () => now } });
  let isOpen = true;
  const stop = async () => {
    if (isOpen) await app.close();
    isOpen = false;
  };
  ends.push(stop);
  const { cookie } = await app.services.modules.accounts.offers.passwordSignIn.open(
    { email: 'admin@svc.local', password: 'svc-admin-please-change', network: '', userAgent: null },
    { address: null, peer: null, requestId: null },
  );
  const headers = { cookie: `svc_dashboard_session=${cookie}`, host: 'lab', origin: 'http://lab' };
  const api: Api = async (method, path, json) => {
    const answer = await app.app.inject({
      ...{ method, url: `/svc/api${path}`, headers },
      ...(json === undefined ? {} : { payload: json }),
    });
    return { status: answer.statusCode, body: answer.json() };
  };
  return { app, api, stop };
}

const sourceOf = async (api: Api, name = 'adb') =>
  (await api('GET', '/devices/sources')).body.find((source: { name: string }) => source.name === name);
const devicesOf = async (api: Api) =>
  (await api('GET', '/devices')).body.map(({ udid, status }: Body) => `${udid} ${status}`);

describe('phones of an adb server that no setting names', () => {
  it('phones of an adb server that no setting names are found but not used, until an Admin switches them on, and stay on after a restart (contract 2 /devices)', async () => {
    const { port } = await adb();
    const env = { SVC_DATA_DIR: freshDataDir(), ANDROID_ADB_SERVER_PORT: `${port}` };
    const { api, app, stop } = await openLab(env);
    const address = `127.0.0.1:${port}`;
    const adbSource = { name: 'adb', address, variable: 'SVC_ADB', fixed: false };
    expect(await sourceOf(api)).toEqual({ ...adbSource, on: false, found: { answers: true, phones: FOUND } });
    expect(await devicesOf(api)).toEqual([]);

    expect(await api('PUT', '/devices/sources/adb', { on: true })).toMatchObject({
      status: 200,
      body: { on: true },
    });
    await expect.poll(() => devicesOf(api)).toEqual(['u1 free']);
    expect(await sourceOf(api)).toEqual({
      ...{ ...adbSource, on: true },
      found: { answers: true, phones: [{ ...FOUND[0], osVersion: '14' }, ...FOUND.slice(1)] },
    });
    const { body } = await api('GET', '/audit?limit=5');
    expect(JSON.stringify(body)).toContain('phones of adb switched on');

    app.services.modules.lab.offers.lab.devices.hold('u1');
    expect(await api('PUT', '/devices/sources/adb', { on: false })).toMatchObject({
      status: 409,
      body: { error: 'conflict', message: 'The phone u1 is in use.' },
    });
    app.services.modules.lab.offers.lab.devices.release('u1');
    await stop();

    const second = await openLab(env);
    await expect.poll(() => devicesOf(second.api)).toEqual(['u1 free']);
    expect(await second.api('PUT', '/devices/sources/adb', { on: false })).toMatchObject({
      status: 200,
      body: { on: false, found: null },
    });
    expect(await devicesOf(second.api)).toEqual(['u1 away']);
  });

  it('phones of an adb server that no setting names are asked for at most four times a minute, and no more once somebody has decided (contract 2 /devices)', async () => {
    const server = await adb();
    const { api } = await openLab({ ANDROID_ADB_SERVER_PORT: `${server.port}` });
    const looks = () => server.asked.filter((service) => service === 'host:devices-l').length;
    await Promise.all([sourceOf(api), sourceOf(api), sourceOf(api)]);
    expect(looks()).toBe(1);
    now += 14_999;
    await sourceOf(api);
    expect(looks()).toBe(1);
    now += 1;
    await sourceOf(api);
    expect(looks()).toBe(2);
    await api('PUT', '/devices/sources/adb', { on: false });
    now += 60_000;
    expect(await sourceOf(api)).toMatchObject({ on: false, found: null });
    expect(looks()).toBe(2);
    await expect.poll(() => server.open.size).toBe(0);
  });

  it('phones of an adb server that no setting names count as absent while their server misbehaves (contract 2 /devices)', async () => {
    const scripts: AdbScript[] = [
      () => undefined,
      (_service, socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'),
      (_service, socket) => socket.write(okay('ffffhalf')),
      (_service, socket) => socket.destroy(),
    ];
    let script = listing(() => '');
    const { port } = await adb((service, socket) => script(service, socket));
    const { api } = await openLab({ ANDROID_ADB_SERVER_PORT: `${port}` });
    expect(await sourceOf(api)).toMatchObject({ found: { answers: true, phones: [] } });
    for (script of scripts) {
      now += 15_000;
      expect(await sourceOf(api)).toMatchObject({ on: false, found: { answers: false, phones: [] } });
    }
  });

  it('phones of an adb server that no setting names cannot be switched on while a session runs on a phone that its driver picked (contract 2 /devices)', async () => {
    const { port } = await adb();
    const { api, app } = await openLab({ ANDROID_ADB_SERVER_PORT: `${port}` });
    const { sessions } = app.services.modules.lab.offers.lab;
    const running = { id: 's1', device: null, node: null };
    const before = sessions.running.bind(sessions);
    sessions.running = () => [running] as never;
    const refused = await api('PUT', '/devices/sources/adb', { on: true });
    sessions.running = before;
    expect(refused).toMatchObject({ status: 409, body: { error: 'conflict' } });
    expect(await sourceOf(api)).toMatchObject({ on: false });
  });
});

describe('phones of an adb server that the environment names', () => {
  it.each([
    ['off', 'false', false],
    ['on', 'PORT', true],
  ])(
    'phones of an adb server that the environment names are fixed to %s (contract 2 /devices)',
    async (_name, value, on) => {
      const { port } = await adb();
      const { api } = await openLab({ SVC_ADB: value.replace('PORT', `127.0.0.1:${port}`) });
      await expect.poll(() => sourceOf(api)).toMatchObject({ on, fixed: true });
      expect(await api('PUT', '/devices/sources/adb', { on: !on })).toMatchObject({
        status: 409,
        body: { message: 'SVC_ADB is set, so it decides whether the phones are used.' },
      });
      if (on) await expect.poll(() => devicesOf(api)).toEqual(['u1 free']);
      else expect(await sourceOf(api)).toMatchObject({ found: null });
    },
  );

  it('a switch of an unknown source of phones is not found, and one without a boolean is refused (contract 2 /devices)', async () => {
    const { api } = await openLab({ ANDROID_ADB_SERVER_PORT: `${await freePort()}` });
    expect(await api('PUT', '/devices/sources/usb', { on: true })).toMatchObject({ status: 404 });
    expect(await api('PUT', '/devices/sources/adb', { on: 'yes' })).toMatchObject({ status: 400 });
    expect(await sourceOf(api)).toMatchObject({ found: { answers: false } });
  });
});

const OLD = '2f3a1b0c9d8e7f6a5b4c3d2e1f0a9b8c7d6e5f4a';
const NEW = '00008130-000C3DD901E0001C';

describe('iOS phones of usbmuxd', () => {
  it('iOS phones of usbmuxd are found, then followed with their names and versions from go-ios (contract 2 /devices)', async () => {
    const mux = await scriptedUsbmuxd();
    ends.push(() => mux.close());
    mux.plug(3, NEW);
    mux.plug(4, OLD);
    mux.plug(5, NEW, 'Network');
    mux.plug(6, '--version');
    mux.describe(NEW, {
      DeviceName: 'Ana & Bob’s iPhone',
      ProductType: 'iPhone16,2',
      ProductVersion: '26.3.1',
    });
    const { api } = await openLab({
      USBMUXD_SOCKET_ADDRESS: `UNIX:${mux.path}`,
      PATH: `${mux.folder}:${process.env.PATH}`,
      SVC_SMTP_URL: 'smtp://lab:canary@mail.lab',
    });
    const found = (udid: string) => ({ udid, name: null, osVersion: null, state: 'ready' });
    expect(await sourceOf(api, 'ios')).toEqual({
      ...{ name: 'ios', address: mux.path, on: false, variable: 'SVC_IOS', fixed: false },
      found: { answers: true, phones: [found(NEW), found(OLD)] },
    });
    expect(mux.asked).toEqual(['ListDevices']);

    await api('PUT', '/devices/sources/ios', { on: true });
    await expect.poll(() => devicesOf(api)).toEqual([`${NEW} free`, `${OLD} away`]);
    await expect
      .poll(() => sourceOf(api, 'ios'))
      .toMatchObject({
        on: true,
        found: {
          phones: [
            { udid: NEW, name: 'Ana & Bob’s iPhone', osVersion: '26.3.1', state: 'ready' },
            { udid: OLD, name: null, osVersion: null, state: 'unauthorized' },
          ],
        },
      });
    const [device, untrusted] = (await api('GET', '/devices')).body;
    expect(untrusted).toMatchObject({ udid: OLD, status: 'away', problem: 'not trusted' });
    expect('problem' in device).toBe(false);
    expect(device).toMatchObject({ name: 'Ana & Bob’s iPhone', platform: 'iOS', osVersion: '26.3.1' });
    expect((await api('GET', `/control/${NEW}/streams`)).body).toEqual({
      mjpeg: false,
      h264: false,
      logs: true,
    });
    expect(readFileSync(join(mux.folder, 'env'), 'utf8')).not.toContain('canary');

    // The name says that the device is an iPad, so that a session with `iPadOnly` finds it (specification 9.2).
    mux.describe(OLD, { DeviceName: 'Spare', ProductType: 'iPad7,5', ProductVersion: '15.8' });
    mux.send(
      packed(
        '<dict><key>MessageType</key><string>Paired</string><key>DeviceID</key><integer>4</integer></dict>',
      ),
    );
    await expect.poll(() => devicesOf(api)).toEqual([`${NEW} free`, `${OLD} free`]);
    expect((await api('GET', '/devices')).body).toMatchObject([{ udid: NEW }, { name: 'Spare (iPad)' }]);
    mux.unplug(3);
    mux.unplug(4);
    await expect.poll(() => devicesOf(api)).toEqual([`${NEW} free`, `${OLD} away`]);
    mux.unplug(5);
    await expect.poll(() => devicesOf(api)).toEqual([`${NEW} away`, `${OLD} away`]);
  });

  it('iOS phones of usbmuxd have only their udid without go-ios, and are away while usbmuxd misbehaves (contract 2 /devices)', async () => {
    const mux = await scriptedUsbmuxd();
    ends.push(() => mux.close());
    mux.plug(1, NEW);
    const { api } = await openLab({
      SVC_IOS: 'true',
      USBMUXD_SOCKET_ADDRESS: `UNIX:${mux.path}`,
      PATH: '/nowhere',
    });
    const isThere = () => expect.poll(() => devicesOf(api), { timeout: 10_000 });
    await isThere().toEqual([`${NEW} free`]);
    expect((await api('GET', '/devices')).body).toMatchObject([{ name: NEW, osVersion: 'unknown' }]);
    const broken = [
      Buffer.alloc(16, 0xff),
      packed('<dict><key>MessageType</key>'),
      packed('<array>'.repeat(50)),
      packed('<string>only a text</string>'),
    ];
    for (const bytes of broken.slice(0, 2)) {
      const before = mux.asked.length;
      mux.send(bytes);
      await expect.poll(() => mux.asked.length).toBeGreaterThan(before);
      await isThere().toEqual([`${NEW} free`]);
    }
    for (const bytes of broken.slice(2)) mux.send(bytes);
    await expect.poll(() => devicesOf(api)).toEqual([`${NEW} away`]);
  });
});
