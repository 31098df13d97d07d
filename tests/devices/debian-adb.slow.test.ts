import { silentLog } from '@svc/auth-core/testing';
import { ANDROID_14, AndroidPhones } from '@svc/lab/phones';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { freePort } from '../support/lab.ts';
import { followAdb } from './support/follow-adb.ts';
import { networkPhone } from './support/network-phone.ts';
import { startAdb } from './support/real-adb.ts';

let ends: (() => unknown)[];
beforeEach(() => {
  ends = [];
});
afterEach(async () => {
  for (const end of ends.reverse()) await end();
});

describe("Debian's adb server", () => {
  it("Debian's adb server lists a phone, loses it when it is unplugged, and is found again after a restart (contract 2 /devices)", async () => {
    const port = await freePort();
    const first = await startAdb(port);
    ends.push(() => first.stop());
    const phones = await AndroidPhones.start({ phones: [ANDROID_14] });
    ends.push(() => phones.stop());
    const phone = await networkPhone(phones, ANDROID_14.serial);
    ends.push(() => phone.unplug());
    const { source, udids } = followAdb(port, silentLog());
    ends.push(() => source.stop());
    await udids();
    await first.command('connect', phone.serial);
    expect(await udids(phone.serial)).toMatchObject([
      { name: 'Pixel 8', platform: 'Android', osVersion: '14', logs: 'adb' },
    ]);
    await first.command('disconnect', phone.serial);
    await udids();
    await first.command('connect', phone.serial);
    await udids(phone.serial);
    await first.stop();
    await udids();
    const second = await startAdb(port);
    ends.push(() => second.stop());
    await second.command('connect', phone.serial);
    await udids(phone.serial);
  });
});
