import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { silentLog } from '@svc/auth-core/testing';
import { labStores } from '@svc/store-sqlite/testing';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Devices } from '../src/devices.ts';
import type { LiveLease } from '../src/leases/held-leases.ts';
import { adbLockName, isHostLocked, takeHostLock } from '../src/sources/adb/host-locks.ts';
import { SharedPhones, serversOfAdb } from '../src/sources/adb/shared-phones.ts';
import { listedDevices } from '../src/sources/listed-devices.ts';

const open: SharedPhones[] = [];
afterEach(() => {
  for (const each of open.splice(0)) each.stop();
});

/** Address of an adb server that no other test uses. The locks need no connection to it. */
const address = { host: '127.0.0.1', port: 1_000_000 + process.pid };

function server(isLeased = false) {
  const devices = new Devices({
    settings: labStores().deviceSettings,
    clock: { now: Date.now },
    log: silentLog(),
  });
  const phone = { udid: 'p1', name: 'P', platform: 'Android', osVersion: '14', node: null, logs: null };
  const source = listedDevices('adb', [{ ...phone, mjpegUrl: null, h264Url: null }]);
  source.start((found) => devices.report(source, found));
  const leases = isLeased ? { on: () => ({}) as LiveLease } : undefined;
  const shared = new SharedPhones({ devices, leases, address });
  shared.start();
  open.push(shared);
  return { devices, shared };
}

describe('two servers that share an adb server', () => {
  it('a phone is held by one of them at a time, and is busy for the other (contract 14.8)', async () => {
    const [a, b] = [server(), server()];
    a.devices.hold('p1');
    expect(await a.shared.hold('p1')).toBe(true);
    expect(await a.shared.hold('p1')).toBe(true);
    await vi.waitFor(() => expect(b.devices.statusOf('p1')).toBe('busy'), 5_000);
    expect(await b.shared.hold('p1')).toBe(false);
    expect(await serversOfAdb({ ...address, host: 'localhost' })).toBe(2);
    a.devices.release('p1');
    await vi.waitFor(() => expect(b.devices.statusOf('p1')).toBe('free'), 5_000);
    b.devices.hold('p1');
    expect(await b.shared.hold('p1')).toBe(true);
  });

  it('a leased phone that was used elsewhere while its server was down is free for its holder when the other has ended (contract 14.8)', async () => {
    const a = server();
    a.devices.hold('p1');
    expect(await a.shared.hold('p1')).toBe(true);
    const b = server(true);
    await vi.waitFor(() => expect(b.devices.statusOf('p1')).toBe('busy'), 5_000);
    expect(b.devices.isElsewhere('p1')).toBe(true);
    a.devices.release('p1');
    await vi.waitFor(() => expect(b.devices.statusOf('p1')).toBe('free'), 5_000);
    await vi.waitFor(() => expect(a.devices.statusOf('p1')).toBe('busy'), 5_000);
  });

  it('a phone is free again after SIGKILL of the server that held it (contract 14.8)', async () => {
    const name = adbLockName(address, 'phone killed');
    const module = new URL('../dist/sources/adb/host-locks.js', import.meta.url).href;
    const code = `const { takeHostLock } = await import(${JSON.stringify(module)});
      console.log((await takeHostLock(${JSON.stringify(name)})) === null ? 'refused' : 'held');
      setInterval(() => undefined, 1000);`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [said] = await once(child.stdout, 'data');
    expect(String(said).trim()).toBe('held');
    expect([await isHostLocked(name), await takeHostLock(name)]).toEqual([true, null]);
    child.kill('SIGKILL');
    await once(child, 'exit');
    const end = await takeHostLock(name);
    expect(end).not.toBeNull();
    end?.();
  });
});
