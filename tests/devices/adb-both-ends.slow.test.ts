import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ANDROID_14, AndroidPhones } from '@svc/lab/phones';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Pair, type Person, World } from '../conformance/support/world.ts';
import { startAdbCommand } from '../streams/local-adb.ts';
import { freePort, startApi } from '../support/lab.ts';
import { until } from '../support/records.ts';
import { type NetworkPhone, networkPhone } from './support/network-phone.ts';
import { type RealAdb, startAdb } from './support/real-adb.ts';

/** Debian's adb on the developer's side and on the lab's side, with `svc adb` between. */
describe("svc adb between two of Debian's adb servers", () => {
  let phones: AndroidPhones;
  let phone: NetworkPhone;
  let world: World;
  let holder: Person;
  let pair: Pair;
  let [near, far]: RealAdb[] = [];
  let leaseId = '';
  let serial = '';
  let command: Awaited<ReturnType<typeof startAdbCommand>>;
  const folder = mkdtempSync(join(tmpdir(), 'svc-both-ends-'));

  beforeAll(async () => {
    phones = await AndroidPhones.start({ phones: [ANDROID_14] });
    phone = await networkPhone(phones, ANDROID_14.serial);
    far = await startAdb(await freePort());
    await far.command('connect', phone.serial);
    world = await World.start(startApi, { SVC_ADB: `127.0.0.1:${far.port}` });
    holder = await world.person('Admin');
    pair = await world.pair(holder.as);
    const leased = await until(
      () => world.api('POST', '/leases', { as: pair.as, json: { udid: phone.serial, minutes: 30 } }),
      ({ status }) => status === 201,
    );
    leaseId = leased.body.leaseId;
    command = await startAdbCommand(world.url, pair, phone.serial);
    serial = command.address;
    near = await startAdb(await freePort());
    await near.command('connect', serial);
  });
  afterAll(async () => {
    await near?.stop();
    await world?.server.stop();
    await far?.stop();
    await phone?.unplug();
    await phones?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const run = async (...args: string[]) => (await near?.command('-s', serial, ...args)) ?? '';

  it('adb through svc runs commands with their exit codes and copies files unchanged in both directions (contract 16.1, 16.2)', async () => {
    expect((await run('shell', 'getprop', 'ro.build.version.release')).trim()).toBe('14');
    await expect(run('shell', 'no-such-program')).rejects.toMatchObject({ code: 127 });
    const bytes = Buffer.alloc(2_000_000).map((_, index) => index % 251);
    const file = join(folder, 'pushed');
    writeFileSync(file, bytes);
    await run('push', file, '/sdcard/Download/pushed');
    await run('pull', '/sdcard/Download/pushed', join(folder, 'pulled'));
    expect(readFileSync(join(folder, 'pulled')).equals(bytes)).toBe(true);
  });

  it('the lab refuses services that change the phone, and requests for another phone or for the adb server itself (contract 16.2)', async () => {
    for (const args of [['root'], ['reboot'], ['remount'], ['tcpip', '5555'], ['shell', 'reboot']])
      await run(...args).catch(() => undefined);
    expect(phones.phone(ANDROID_14.serial).reboots).toBe(0);
    const asked = phones.adb.requests.filter((request) => /(root|reboot|remount|tcpip|usb):/.test(request));
    expect(asked).toEqual([]);
    expect(await far?.command('devices')).toContain(`${phone.serial}\tdevice`);
  });

  it('ports that a developer forwards stay on their machine, and those of the phone reach no port of the lab (contract 16.2)', async () => {
    const port = (await run('forward', 'tcp:0', 'localabstract:none')).trim();
    expect(await run('forward', '--list')).toContain(`tcp:${port}`);
    expect(await far?.command('forward', '--list')).not.toContain(port);
    await run('reverse', 'tcp:8081', `tcp:${far?.port}`);
    expect([...phones.phone(ANDROID_14.serial).reverses.values()]).not.toContain(far?.port);
    await run('reverse', '--remove-all');
    await until(
      async () => phones.phone(ANDROID_14.serial).reverses.size,
      (size) => size === 0,
    );
  });

  it('the lab ends a running shell within a second and a half of the lease (contract 16.3)', async () => {
    const logReaders = async () => phones.phone(ANDROID_14.serial).logReaders;
    const shell = run('shell', 'logcat').then(
      () => 'ended',
      () => 'ended',
    );
    await until(logReaders, (running) => running === 1);
    const began = performance.now();
    await world.ok('DELETE', `/leases/${leaseId}`, { as: world.root.as });
    await command.exited;
    expect(await shell).toBe('ended');
    expect(performance.now() - began).toBeLessThan(1_500);
    expect(command.sentence()).toContain('neither a lease nor a session');
    await until(logReaders, (running) => running === 0);
  });
});
