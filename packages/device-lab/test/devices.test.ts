import { silentLog } from '@svc/auth-core/testing';
import { type LabStores, labStores } from '@svc/store-sqlite/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import { allocateDevice, NoMatchingDevice } from '../src/allocate-device.ts';
import type { DeviceProblem, SourceDevice } from '../src/device.ts';
import { Devices } from '../src/devices.ts';
import type { DeviceChange } from '../src/known-device.ts';
import type { DeviceSource } from '../src/sources/device-source.ts';
import { listedDevices } from '../src/sources/listed-devices.ts';
import { samplePhones, sampleRequest } from '../src/testing/index.ts';

const any = sampleRequest();
const DAY = 24 * 60 * 60 * 1000;

let settings: LabStores['deviceSettings'];
let log: ReturnType<typeof silentLog>;
let now: number;

beforeEach(() => {
  settings = labStores().deviceSettings;
  log = silentLog();
  now = 0;
});

/**
 * Restarts the lab's list of devices: the sources report their devices, then devices that the lists no longer contain
 * are forgotten.
 */
function restarted(...sources: DeviceSource[]) {
  const devices = new Devices({ settings, clock: { now: () => now }, log });
  const told: [DeviceChange, string][] = [];
  devices.onChange((change, { udid }) => told.push([change, udid]));
  for (const source of sources) source.start((found) => devices.report(source, found));
  devices.forgetUnlisted();
  const listed = () => devices.list().map(({ udid }) => [udid, devices.statusOf(udid)]);
  return { devices, told, listed };
}

const phone = (udid: string, change: Partial<SourceDevice> = {}): SourceDevice => ({
  udid,
  name: 'Pixel',
  platform: 'Android',
  osVersion: '14',
  node: null,
  mjpegUrl: null,
  h264Url: null,
  logs: 'adb',
  ...change,
});
const hubOf = (name: string): DeviceSource => ({
  name,
  comesAndGoes: true,
  endsSessions: true,
  start: () => undefined,
  stop: () => undefined,
});

describe('what an Admin says about a phone', () => {
  it('the decision of an Admin about a phone outlives a restart, and the phone that is away is known and not given out (contract 2 /devices)', () => {
    const { devices } = restarted(samplePhones(2, 'virtual'));
    expect(devices.change('virtual-2', { teamId: 'qa' })).toMatchObject({ teamId: 'qa' });
    expect(devices.change('virtual-2', { tags: ['slow'] })).toMatchObject({ teamId: 'qa' });
    expect(devices.change('virtual-3', { tags: [] })).toBeUndefined();

    const { devices: back } = restarted(samplePhones(2, 'virtual'));
    expect([back.byUdid('virtual-2')?.teamId, back.tagsOf('virtual-2')]).toEqual(['qa', ['slow']]);
    expect(back.statusOf('virtual-2')).toBe('free');

    const { devices: away, listed } = restarted(samplePhones(1, 'virtual'));
    expect(listed()).toEqual([
      ['virtual-1', 'free'],
      ['virtual-2', 'away'],
    ]);
    expect(() => allocateDevice(away, sampleRequest({ 'appium:udid': 'virtual-2' }))).toThrow(
      NoMatchingDevice,
    );
    expect(restarted().devices.isEmpty).toBe(true);
  });

  it('a phone keeps its name and note over restarts and reports, and null brings back the reported name (contract 17.1)', () => {
    const { devices } = restarted(samplePhones(1, 'virtual'));
    const reported = devices.byUdid('virtual-1')?.name;
    devices.change('virtual-1', { givenName: 'Shelf 3', note: 'worn out' });
    expect([devices.byUdid('virtual-1')?.name, devices.noteOf('virtual-1')]).toEqual(['Shelf 3', 'worn out']);

    const { devices: away } = restarted();
    expect([away.byUdid('virtual-1')?.name, away.noteOf('virtual-1')]).toEqual(['Shelf 3', 'worn out']);

    const { devices: back } = restarted(samplePhones(1, 'virtual'));
    expect(back.byUdid('virtual-1')?.name).toBe('Shelf 3');
    back.change('virtual-1', { givenName: null, note: null });
    expect([back.byUdid('virtual-1')?.name, back.noteOf('virtual-1')]).toEqual([reported, null]);
    expect(restarted(samplePhones(1, 'virtual')).devices.byUdid('virtual-1')?.name).toBe(reported);
  });

  it('changes a phone in use without taking it away', () => {
    const { devices } = restarted(samplePhones(1, 'virtual'));
    allocateDevice(devices, any);
    devices.change('virtual-1', { teamId: 'qa' });
    expect(devices.statusOf('virtual-1')).toBe('busy');
  });
});

describe('what a source reports', () => {
  it('a reported phone comes, changes, goes and comes back; each is told once, the first time as new (contract 2 /devices)', () => {
    const source = hubOf('adb');
    const { devices, told, listed } = restarted();
    devices.report(source, [phone('a'), phone('b')]);
    devices.report(source, [phone('a', { osVersion: '15' }), phone('b')]);
    devices.report(source, [phone('b')]);
    devices.report(source, [phone('b')]);
    devices.report(source, [phone('a', { osVersion: '15' }), phone('b')]);
    expect(told).toEqual([
      ['new', 'a'],
      ['new', 'b'],
      ['changed', 'a'],
      ['offline', 'a'],
      ['online', 'a'],
    ]);
    expect(listed()).toEqual([
      ['a', 'free'],
      ['b', 'free'],
    ]);
  });

  it('a reported phone is remembered over a restart and then neither new nor back', () => {
    const source = hubOf('adb');
    restarted().devices.report(source, [phone('a', { mjpegUrl: 'http://127.0.0.1:1/' })]);
    const { devices, told, listed } = restarted();
    expect(listed()).toEqual([['a', 'away']]);
    expect(devices.byUdid('a')).toMatchObject({ name: 'Pixel', mjpegUrl: null, logs: null });
    devices.report(source, [phone('a')]);
    devices.report(source, []);
    expect(told).toEqual([['offline', 'a']]);
  });

  it('a reported phone is forgotten after 30 days away, immediately when it was of a list, never with a team or tags', () => {
    const source = hubOf('adb');
    const { devices } = restarted(samplePhones(2, 'virtual'));
    devices.report(source, [phone('gone'), phone('kept'), phone('there')]);
    devices.change('kept', { tags: ['x'] });
    now = 20 * DAY;
    devices.report(source, [phone('there')]);
    now = 50 * DAY;
    devices.tidy();
    now = 51 * DAY;
    devices.tidy();
    expect(settings.rows.map(({ udid }) => udid).sort()).toEqual(['kept', 'there', 'virtual-1', 'virtual-2']);
    expect(restarted(samplePhones(1, 'virtual')).listed()).toEqual([
      ['kept', 'away'],
      ['there', 'away'],
      ['virtual-1', 'free'],
    ]);
  });

  it('a phone that two sources report belongs to the first one, and then to the other', () => {
    const list = listedDevices('configured', [phone('a', { name: 'Listed', logs: null })]);
    const source = hubOf('adb');
    const { devices, told } = restarted(list);
    devices.report(source, [phone('a'), phone('b')]);
    expect(devices.byUdid('a')).toMatchObject({ name: 'Listed' });
    devices.report(list, []);
    expect(devices.byUdid('a')).toMatchObject({ name: 'Pixel', logs: 'adb' });
    devices.report(source, []);
    expect(told).toEqual([
      ['new', 'a'],
      ['new', 'b'],
      ['changed', 'a'],
      ['offline', 'a'],
      ['offline', 'b'],
    ]);
  });

  it('the report of a source is bounded: names are cut, unusable ones left out, and the longest away make room', () => {
    const source = hubOf('adb');
    const { devices } = restarted();
    devices.report(source, [
      phone(''),
      phone('x'.repeat(300)),
      phone('a\n'),
      phone('  '),
      phone(' b ', { name: 'n\u0007'.repeat(999) }),
    ]);
    expect(devices.list().map(({ udid, name }) => [udid, name.length])).toEqual([['b', 128]]);
    const farm = (prefix: string) => Array.from({ length: 10_050 }, (_, index) => phone(`${prefix}${index}`));
    devices.report(source, farm('x'));
    expect(devices.list()).toHaveLength(10_000);
    expect(devices.byUdid('b')).toBeUndefined();
    const other = hubOf('node-1');
    devices.report(other, [phone('late')]);
    expect(devices.byUdid('late')).toBeUndefined();
    expect(log.messages('warn')).toEqual(['The lab has more than 10000 devices; further ones are ignored']);
  });

  it('a reported phone is there also when it cannot be stored', () => {
    settings.save = () => {
      throw new Error('disk full');
    };
    expect(restarted(samplePhones(1, 'virtual')).listed()).toEqual([['virtual-1', 'free']]);
    expect(log.messages('warn')).toEqual(['The list of known devices could not be stored']);
  });
});

describe('a phone with a problem', () => {
  it('a phone with a problem is listed as away with its problem until its source reports it without one (contract 14.6)', () => {
    const source = hubOf('ios');
    const { devices, told } = restarted(source);
    const statuses: string[] = [];
    devices.onStatus(({ udid }) => statuses.push(devices.statusOf(udid)));
    const report = (problem: DeviceProblem | null) =>
      devices.report(source, [phone('p', { problem, wdaUrl: 'http://127.0.0.1:8100' })]);
    const state = () => [devices.statusOf('p'), devices.byUdid('p')?.problem, devices.byUdid('p')?.wdaUrl];
    report('not trusted');
    expect(state()).toEqual(['away', 'not trusted', null]);
    report('developer mode off');
    expect(state()).toEqual(['away', 'developer mode off', null]);
    report(null);
    expect(state()).toEqual(['free', null, 'http://127.0.0.1:8100']);
    report('no tunnel');
    devices.report(source, []);
    expect(state()).toEqual(['away', null, null]);
    expect(told.map(([change]) => change)).toEqual(['new', 'changed', 'online', 'offline', 'changed']);
    expect(statuses).toEqual(['free', 'away']);
  });
});
