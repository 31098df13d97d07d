import { describe, expect, it } from 'vitest';
import { Devices, NoMatchingDevice, virtualDeviceFarm } from '../src/devices.ts';
import { MemoryDeviceSettings } from '../src/testing/index.ts';

const any = { udid: null, platform: null, teamId: null, maySee: () => true };

describe('what an Admin says about a phone', () => {
  it('(contract 2 /devices) outlives a restart, and the phone that is away is known and not given out', () => {
    const settings = new MemoryDeviceSettings();
    const devices = new Devices(virtualDeviceFarm(2, 'virtual'), settings);
    expect(devices.change('virtual-2', { teamId: 'qa' })).toMatchObject({ teamId: 'qa' });
    expect(devices.change('virtual-2', { tags: ['slow'] })).toMatchObject({ teamId: 'qa' });
    expect(devices.change('virtual-3', { tags: [] })).toBeUndefined();

    const back = new Devices(virtualDeviceFarm(2, 'virtual'), settings);
    expect([back.byUdid('virtual-2')?.teamId, back.tagsOf('virtual-2')]).toEqual(['qa', ['slow']]);
    expect(back.statusOf('virtual-2')).toBe('free');

    const away = new Devices(virtualDeviceFarm(1, 'virtual'), settings);
    expect(away.list().map(({ udid }) => [udid, away.statusOf(udid)])).toEqual([
      ['virtual-1', 'free'],
      ['virtual-2', 'away'],
    ]);
    expect(() => away.hold({ ...any, udid: 'virtual-2' })).toThrow(NoMatchingDevice);
    expect(new Devices([], settings).isEmpty).toBe(true);
  });

  it('changes a phone in use without taking it away', () => {
    const devices = new Devices(virtualDeviceFarm(1, 'virtual'), new MemoryDeviceSettings());
    devices.hold(any);
    devices.change('virtual-1', { teamId: 'qa' });
    expect(devices.statusOf('virtual-1')).toBe('busy');
  });
});
