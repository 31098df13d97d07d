import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { IPhones } from '@svc/lab/phones';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { World } from '../conformance/support/world.ts';
import { startApi } from '../support/lab.ts';
import { until } from '../support/records.ts';
import { packed } from './support/scripted-usbmuxd.ts';

const CLIENT = fileURLToPath(new URL('../../packages/client/bin/appium-svc-client.js', import.meta.url));
const UDID = '00008101-000A1B2C3D4E001E';
const OTHER = '00008101-000A1B2C3D4E002E';

/** Debian's libimobiledevice on the developer's side, `svc usb` between, and scripted iPhones behind the lab. */
describe('svc usb', () => {
  let phones: IPhones;
  let world: World;
  let client: ChildProcess;
  let path = '';
  let errors = '';
  let leaseId = '';
  const home = mkdtempSync(join(tmpdir(), 'svc-remote-usb-'));

  beforeAll(async () => {
    phones = await IPhones.start({ phones: [{ udid: UDID, osVersion: '17.4' }, { udid: OTHER }] });
    world = await World.start(startApi, { SVC_IOS: 'true', ...phones.env });
    const pair = await world.pair((await world.person('Admin')).as);
    await until(
      () => world.ok('GET', '/devices', { as: world.root.as }),
      (devices) => devices.length === 2,
    );
    const json = { udid: UDID, minutes: 30 };
    leaseId = (await world.ok('POST', '/leases', { as: pair.as, json })).leaseId;
    client = spawn(process.execPath, [CLIENT, 'usb', UDID], {
      env: { ...process.env, SVC_URL: world.url, SVC_ACCESS_KEY: pair.accessKey, SVC_TOKEN: pair.token },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    client.stderr?.on('data', (text) => {
      errors += text;
    });
    const [line] = await once(createInterface({ input: client.stdout as NodeJS.ReadableStream }), 'line');
    path = /^export USBMUXD_SOCKET_ADDRESS=UNIX:(\/.+)$/.exec(line)?.[1] ?? '';
  });
  afterAll(async () => {
    client?.kill();
    await world?.server.stop();
    await phones?.stop();
    rmSync(home, { recursive: true, force: true });
  });

  const env = () => ({ ...process.env, HOME: home, USBMUXD_SOCKET_ADDRESS: `UNIX:${path}` });
  const run = async (program: string, ...args: string[]) =>
    (await promisify(execFile)(program, args, { env: env(), timeout: 20_000 })).stdout.trim();

  it('svc usb lists the one phone to libimobiledevice, which reads what lockdownd tells every host (contract 16.4)', async () => {
    expect(await run('idevice_id', '-l')).toBe(UDID);
    expect(await run('ideviceinfo', '-s', '-k', 'ProductVersion')).toBe('17.4');
    await expect(run('ideviceinfo', '-u', OTHER, '-s')).rejects.toThrow();
  });

  it('pairs this machine with the phone without the pairing of the lab, and follows its log (contract 16.4)', async () => {
    expect(phones.phone(UDID).lockdown.hosts.size).toBe(0);
    expect(await run('idevicepair', 'pair')).toContain('SUCCESS');
    expect([...phones.phone(UDID).lockdown.hosts]).toHaveLength(1);
    expect(await run('ideviceinfo', '-k', 'DeviceName')).toBe('iPhone 13');
    const log = spawn('idevicesyslog', [], { env: env(), stdio: ['ignore', 'pipe', 'ignore'] });
    let text = '';
    log.stdout.on('data', (bytes) => {
      text += bytes;
    });
    phones.phone(UDID).log('SpringBoard', 'opened the app');
    await until(
      async () => text,
      (lines) => lines.includes('opened the app'),
    );
    log.kill();
  });

  it('svc usb connects a program to a port of the phone, such as that of WebDriverAgent (contract 16.4)', async () => {
    const socket = connect(path);
    socket.write(request('Connect', { DeviceID: 1, PortNumber: swapped(8100) }));
    await once(socket, 'data');
    socket.write('GET /status HTTP/1.1\r\nHost: phone\r\nConnection: close\r\n\r\n');
    let text = '';
    for await (const bytes of socket) text += bytes;
    expect(text).toMatch(/^HTTP\/1\.1 200/);
  });

  it("svc usb refuses other device ids and other phones' pair records (contract 16.4)", async () => {
    const answerTo = async (type: string, members: object) => {
      const socket = connect(path);
      socket.write(request(type, members));
      const [bytes] = await once(socket, 'data');
      socket.destroy();
      return /<key>Number<\/key><integer>(\d+)</.exec(String(bytes))?.[1];
    };
    expect(await answerTo('Connect', { DeviceID: 2, PortNumber: swapped(8100) })).toBe('2');
    expect(await answerTo('Connect', { DeviceID: 1, PortNumber: swapped(7) })).toBe('3');
    expect(await answerTo('ReadPairRecord', { PairRecordID: OTHER })).toBe('2');
    expect(await answerTo('Connect', {})).toBe('2');
    expect(await answerTo('Shutdown', {})).toBe('1');
  });

  it('svc usb ends with a sentence and removes its socket when the lease ends (contract 16.3, 16.4)', async () => {
    const exited = once(client, 'exit');
    await world.ok('DELETE', `/leases/${leaseId}`, { as: world.root.as });
    expect((await exited)[0]).toBe(1);
    expect(errors).toMatch(/has ended: .*lease/);
    expect(existsSync(path)).toBe(false);
  });
});

function request(type: string, members: object): Buffer {
  const xml = Object.entries({ MessageType: type, ...members }).map(([key, value]) => {
    const element = typeof value === 'number' ? 'integer' : 'string';
    return `<key>${key}</key><${element}>${value}</${element}>`;
  });
  return packed(`<dict>${xml.join('')}</dict>`);
}

/** @returns the port in network byte order */
function swapped(port: number): number {
  return ((port & 0xff) << 8) | (port >> 8);
}
