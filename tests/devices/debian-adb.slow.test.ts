import { silentLog } from '@svc/auth-core/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { freePort } from '../support/lab.ts';
import { followAdb } from './support/follow-adb.ts';
import { scriptedPhone, startAdb } from './support/real-adb.ts';

let ends: (() => unknown)[];
beforeEach(() => {
  ends = [];
});
afterEach(async () => {
  for (const end of ends.reverse()) await end();
});

describe("Debian's adb server", () => {
  it('lists a phone, loses it when it is unplugged, and is found again after a restart (contract 2 /devices)', async () => {
    const port = await freePort();
    const first = await startAdb(port);
    ends.push(() => first.stop());
    const phone = await scriptedPhone('Pixel 9', '15\n');
    ends.push(() => phone.unplug());
    const { source, udids } = followAdb(port, silentLog());
    ends.push(() => source.stop());
    await udids();
    await first.command('connect', phone.serial);
    expect(await udids(phone.serial)).toMatchObject([
      { name: 'Pixel 9', platform: 'Android', osVersion: '15', logs: 'adb' },
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
