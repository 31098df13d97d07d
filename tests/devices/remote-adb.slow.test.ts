import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { ANDROID_14, AndroidPhones, connectReverse } from '@svc/lab/phones';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Pair, type Person, World } from '../conformance/support/world.ts';
import { startApi } from '../support/lab.ts';
import { until } from '../support/records.ts';
import { type RealAdb, startAdb } from './support/real-adb.ts';

const CLIENT = fileURLToPath(new URL('../../packages/client/bin/appium-svc-client.js', import.meta.url));
const UDID = ANDROID_14.serial;

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

/** Debian's adb on the developer's side, `svc adb` between, and a scripted phone behind the lab's adb server. */
describe('svc adb', () => {
  let phones: AndroidPhones;
  let world: World;
  let holder: Person;
  let pair: Pair;
  let adb: RealAdb;
  let client: ChildProcess;
  let serial = '';
  let errors = '';
  let leaseId = '';
  const folder = mkdtempSync(join(tmpdir(), 'svc-remote-adb-'));

  beforeAll(async () => {
    phones = await AndroidPhones.start({ phones: [ANDROID_14] });
    world = await World.start(startApi, { SVC_ADB: `127.0.0.1:${phones.adb.port}` });
    holder = await world.person('Admin');
    pair = await world.pair(holder.as);
    adb = await startAdb(await freePort());
    await until(
      () => world.ok('GET', '/devices', { as: world.root.as }),
      (devices) => devices.length === 1,
    );
    const json = { udid: UDID, minutes: 30 };
    leaseId = (await world.ok('POST', '/leases', { as: pair.as, json })).leaseId;
    const localPort = await freePort();
    client = spawn(process.execPath, [CLIENT, 'adb', UDID, '--connect', '--port', `${localPort}`], {
      env: {
        ...process.env,
        ANDROID_ADB_SERVER_PORT: `${adb.port}`,
        SVC_URL: world.url,
        SVC_ACCESS_KEY: pair.accessKey,
        SVC_TOKEN: pair.token,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    client.stderr?.on('data', (text) => {
      errors += text;
    });
    const [line] = await once(createInterface({ input: client.stdout as NodeJS.ReadableStream }), 'line');
    serial = /^adb connect (127\.0\.0\.1:\d+)$/.exec(line)?.[1] ?? '';
    expect(serial).toBe(`127.0.0.1:${localPort}`);
  });
  afterAll(async () => {
    client?.kill();
    await adb?.stop();
    await world?.server.stop();
    await phones?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const run = (...args: string[]) => adb.command('-s', serial, ...args);

  it('svc adb connects the local adb server at the given port, lists the phone, and runs shell commands with their exit codes (contract 16.1)', async () => {
    await until(
      () => adb.command('devices'),
      (devices) => devices.includes(`${serial}\tdevice`),
    );
    expect((await run('shell', 'getprop', 'ro.build.version.release')).trim()).toBe('14');
    await expect(run('shell', 'no-such-program')).rejects.toMatchObject({ code: 127 });
  });

  it('svc adb pushes and pulls files unchanged (contract 16.2)', async () => {
    const file = join(folder, 'pushed');
    const bytes = Buffer.alloc(3_000_000).map((_, index) => index % 251);
    writeFileSync(file, bytes);
    await run('push', file, '/sdcard/Download/pushed');
    await run('pull', '/sdcard/Download/pushed', join(folder, 'pulled'));
    expect(readFileSync(join(folder, 'pulled')).equals(bytes)).toBe(true);
  });

  const httpServer = async (listener: RequestListener) => {
    const server = createHttpServer(listener).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return { server, port: (server.address() as { port: number }).port };
  };

  it("svc adb leads an app of the phone to a server of this machine with adb reverse, as Metro and Flutter's tools do (contract 16.2)", async () => {
    const { server, port } = await httpServer((_request, response) => response.end('bundle of this machine'));
    await run('reverse', 'tcp:8081', `tcp:${port}`);
    expect(await run('reverse', '--list')).toContain(`tcp:8081 tcp:${port}`);
    expect([...phones.phone(UDID).reverses.values()]).not.toContain(port);
    const app = connectReverse(phones.phone(UDID), 'tcp:8081');
    app.write('GET /index.bundle HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
    let text = '';
    for await (const bytes of app) text += bytes;
    expect(text).toContain('bundle of this machine');
    await run('reverse', '--remove', 'tcp:8081');
    await until(
      async () => phones.phone(UDID).reverses.size,
      (size) => size === 0,
    );
    expect((await run('reverse', '--list')).trim()).toBe('');
    server.close();
  });

  it('svc adb forwards a port of this machine to the developer tools of an app (contract 16.2)', async () => {
    const { server, port } = await httpServer((request, response) =>
      response.end(`page list ${request.url}`),
    );
    phones.phone(UDID).abstractSockets.set('chrome_devtools_remote', port);
    const local = (await run('forward', 'tcp:0', 'localabstract:chrome_devtools_remote')).trim();
    const answers = Array.from({ length: 5 }, async () =>
      (await fetch(`http://127.0.0.1:${local}/json/list`)).text(),
    );
    expect(new Set(await Promise.all(answers))).toEqual(new Set(['page list /json/list']));
    await run('forward', '--remove', `tcp:${local}`);
    server.close();
    server.closeAllConnections();
  });

  it('svc adb refuses root and reboot with a sentence (contract 16.2)', async () => {
    await run('root').catch(() => undefined);
    await run('reboot').catch(() => undefined);
    await until(
      async () => errors,
      (text) => text.includes('reboot'),
    );
    expect(phones.phone(UDID).reboots).toBe(0);
  });

  it('svc adb ends with a sentence when the lease ends (contract 16.3)', async () => {
    const exited = once(client, 'exit');
    await world.ok('DELETE', `/leases/${leaseId}`, { as: holder.as });
    expect((await exited)[0]).toBe(1);
    expect(errors).toMatch(/has ended: .*lease/);
    expect(await adb.command('devices')).not.toContain(serial);
  });
});
