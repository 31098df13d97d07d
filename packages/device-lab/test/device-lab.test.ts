import { beforeEach, describe, expect, it } from 'vitest';
import { DeviceLab, SessionLimitReached, type SessionRequest } from '../src/device-lab.ts';
import { type Device, NoMatchingDevice, virtualDeviceFarm } from '../src/devices.ts';
import { endOfCause } from '../src/end-cause.ts';
import { MemoryCommandLog, MemoryDeviceSettings, MemoryDriverSessions } from '../src/testing/index.ts';

const silent = { debug() {}, info() {}, warn() {}, error() {} };
const any: SessionRequest = {
  udid: null,
  platform: null,
  teamId: null,
  maySee: () => true,
  ownerId: 'ana',
  healingTiers: null,
};

let store: MemoryDriverSessions;
let settings: MemoryDeviceSettings;
let now: number;
const labOf = (devices: readonly Device[], maxSessions = 0) =>
  new DeviceLab({
    sessions: store,
    commands: new MemoryCommandLog(),
    deviceSettings: settings,
    devices,
    maxSessions,
    retentionDays: 30,
    clock: { now: () => now },
    log: silent,
  });

beforeEach(() => {
  store = new MemoryDriverSessions();
  settings = new MemoryDeviceSettings();
  now = 1000;
});

describe('phones', () => {
  it('one session each, free again at its end', () => {
    const lab = labOf(virtualDeviceFarm(2, 'virtual'));
    const first = lab.reserve(any);
    const second = lab.reserve(any);
    expect([first.device?.udid, second.device?.udid]).toEqual(['virtual-1', 'virtual-2']);
    expect(() => lab.reserve(any)).toThrow(NoMatchingDevice);
    first.open('s1', {});
    lab.end('s1', { category: null, reason: null });
    expect(lab.devices.statusOf('virtual-1')).toBe('free');
    second.cancel();
    second.cancel();
    expect(lab.devices.statusOf('virtual-2')).toBe('free');
  });

  it('the one that is named, and none instead of it', () => {
    const lab = labOf(virtualDeviceFarm(2, 'virtual'));
    const input = { ...any, udid: 'virtual-2' };
    expect(lab.reserve(input).device?.udid).toBe('virtual-2');
    expect(() => lab.reserve(input)).toThrow('the phone is busy');
    expect(() => lab.reserve({ ...any, udid: 'virtual-3' })).toThrow('this lab has no such phone');
  });

  it('only of the platform, the team, and what the caller may see; hidden reads like unknown', () => {
    const [shared, teams] = virtualDeviceFarm(2, 'virtual') as [Device, Device];
    const lab = labOf([shared, { ...teams, teamId: 'qa' }]);
    const outsider = { ...any, maySee: (teamId: string | null) => teamId === null };
    expect(() => lab.reserve({ ...any, platform: 'Android' })).toThrow(NoMatchingDevice);
    expect(() => lab.reserve({ ...outsider, udid: 'virtual-2' })).toThrow('this lab has no such phone');
    expect(() => lab.reserve({ ...any, teamId: 'qa', udid: 'virtual-1' })).toThrow(NoMatchingDevice);
    expect(lab.reserve({ ...any, teamId: 'qa', platform: 'fAKE' }).device?.udid).toBe('virtual-2');
    expect(lab.reserve(outsider).device?.udid).toBe('virtual-1');
  });

  it('a lab without phones lets sessions run', () => {
    expect(labOf([]).reserve({ ...any, udid: 'whatever' }).device).toBeNull();
  });
});

describe('the limit of sessions (specification 8.2)', () => {
  it('counts running and starting ones', () => {
    const lab = labOf([], 2);
    lab.reserve(any).open('s1', {});
    const starting = lab.reserve(any);
    expect(() => lab.reserve(any)).toThrow(SessionLimitReached);
    starting.cancel();
    lab.reserve(any).open('s2', {});
    lab.end('s1', { category: null, reason: null });
    lab.reserve(any);
    expect(() => lab.reserve(any)).toThrow(SessionLimitReached);
  });

  it('a place given back twice, or after its session began, makes room once', () => {
    const lab = labOf([], 1);
    const place = lab.reserve(any);
    place.cancel();
    place.cancel();
    const next = lab.reserve(any);
    expect(() => lab.reserve(any)).toThrow(SessionLimitReached);
    next.open('s1', {});
    next.cancel();
    expect(() => next.open('s1', {})).toThrow('already settled');
    expect(() => lab.reserve(any)).toThrow(SessionLimitReached);
  });
});

describe('sessions', () => {
  it('an owner that could not be stored is nobody, and the phone is free after the cancel', () => {
    const lab = labOf(virtualDeviceFarm(1, 'virtual'));
    const place = lab.reserve(any);
    store.failing = new Error('disk full');
    expect(() => place.open('s1', {})).toThrow('disk full');
    expect(lab.sessions.ownerOf('s1')).toBeUndefined();
    place.cancel();
    expect(lab.devices.statusOf('virtual-1')).toBe('free');
  });

  it('an end that cannot be stored is an end all the same', () => {
    const lab = labOf(virtualDeviceFarm(1, 'virtual'));
    lab.reserve(any).open('s1', {});
    store.failing = new Error('disk full');
    lab.end('s1', { category: null, reason: null });
    expect(lab.sessions.ownerOf('s1')).toBeUndefined();
    expect(lab.devices.statusOf('virtual-1')).toBe('free');
  });

  it('the first word on an end counts', () => {
    const lab = labOf([]);
    lab.reserve(any).open('s1', {});
    now = 2000;
    lab.end('s1', endOfCause('New Command Timeout of 1 seconds expired.'));
    lab.end('s1', { category: null, reason: null });
    expect(store.rows.get('s1')).toMatchObject({
      status: 'failed',
      failureCategory: 'Timeout',
      endedAt: 2000,
    });
  });

  it('records no secret of the capabilities', () => {
    const lab = labOf([]);
    lab.reserve(any).open('s1', { 'df:options': { token: 'canary' }, 'appium:keyPassword': 'canary' });
    lab.reserve(any).open('s2', {
      app: 'https://host/svc/api/apps/1/download?ticket=canary',
      proxy: { httpProxy: 'http://user:canary@proxy' },
    });
    lab.end('s2', endOfCause('adb --password=canary exited with 1'));
    expect(JSON.stringify([...store.rows.values()])).not.toContain('canary');
    expect(store.rows.get('s2')?.failureReason).toContain('exited with 1');
  });

  it('what ran when the server went down is over; what runs on a node is not', () => {
    const lab = labOf([]);
    lab.reserve(any).open('s1', {});
    lab.reserve(any).open('s2', {});
    store.update('s2', { node: 'node-1' });
    labOf([]);
    expect(store.rows.get('s1')).toMatchObject({ status: 'failed', failureCategory: 'Hub Restart' });
    expect(store.rows.get('s2')).toMatchObject({ status: 'running', endedAt: null });
  });

  it('is found in any letter case for log sockets only', () => {
    const lab = labOf([]);
    lab.reserve(any).open('abc', {});
    expect(lab.sessions.inAnyCase('ABC')).toBe('abc');
    expect(lab.sessions.ownerOf('ABC')).toBeUndefined();
  });
});

it.each([
  ['New Command Timeout of 60 seconds expired. Try', 'Timeout'],
  ['The process has received SIGTERM signal', 'Hub Restart'],
  ['The driver was unexpectedly shut down!', 'Session Lost'],
])('%s is %s (specification 9.2)', (message, category) => {
  expect(endOfCause(message)).toEqual({ category, reason: message });
});
