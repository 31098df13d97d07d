import { beforeEach, describe, expect, it } from 'vitest';
import { DeviceLab } from '../src/device-lab.ts';
import { type Device, virtualDeviceFarm } from '../src/devices.ts';
import { endOfCause } from '../src/end-cause.ts';
import type { StartedSession } from '../src/start-session.ts';
import {
  MemoryCommandLog,
  MemoryDeviceSettings,
  MemoryDriverSessions,
  sampleAdmission,
  sampleStart,
} from '../src/testing/index.ts';

const silent = { debug() {}, info() {}, warn() {}, error() {} };
let store: MemoryDriverSessions;
let settings: MemoryDeviceSettings;
let now: number;
const DAY_MS = 24 * 60 * 60 * 1000;
const labOf = (devices: readonly Device[], retentionDays = { commands: () => 30, sessions: () => 365 }) =>
  new DeviceLab({
    sessions: store,
    commands: new MemoryCommandLog(),
    deviceSettings: settings,
    devices,
    maxSessions: () => 0,
    retentionDays,
    clock: { now: () => now },
    log: silent,
  });

const run = (lab: DeviceLab, id: string, change?: Partial<StartedSession>) =>
  lab.createSession(sampleAdmission(), {}, sampleStart(id, change));

beforeEach(() => {
  store = new MemoryDriverSessions();
  settings = new MemoryDeviceSettings();
  now = 1000;
});

describe('sessions', () => {
  it('an owner that could not be stored is nobody, and the phone is free again (specification 5.4.5)', async () => {
    const lab = labOf(virtualDeviceFarm(1, 'virtual'));
    store.failing = new Error('disk full');
    await expect(run(lab, 's1')).rejects.toMatchObject({ cause: store.failing });
    expect(lab.sessions.ownerOf('s1')).toBeUndefined();
    expect(lab.devices.statusOf('virtual-1')).toBe('free');
  });

  it('an end that cannot be stored is an end all the same', async () => {
    const lab = labOf(virtualDeviceFarm(1, 'virtual'));
    await run(lab, 's1');
    store.failing = new Error('disk full');
    lab.recordEnd('s1', { category: null, reason: null });
    expect(lab.sessions.ownerOf('s1')).toBeUndefined();
    expect(lab.devices.statusOf('virtual-1')).toBe('free');
  });

  it('the first word on an end counts', async () => {
    const lab = labOf([]);
    await run(lab, 's1');
    now = 2000;
    lab.recordEnd('s1', endOfCause('New Command Timeout of 1 seconds expired.'));
    lab.recordEnd('s1', { category: null, reason: null });
    expect(store.rows.get('s1')).toMatchObject({
      status: 'failed',
      failureCategory: 'Timeout',
      endedAt: 2000,
    });
  });

  it('records no secret of the capabilities', async () => {
    const lab = labOf([]);
    await run(lab, 's1', {
      capabilities: { 'df:options': { token: 'canary' }, 'appium:keyPassword': 'canary' },
    });
    await run(lab, 's2', {
      capabilities: {
        app: 'https://host/svc/api/apps/1/download?ticket=canary',
        proxy: { httpProxy: 'http://user:canary@proxy' },
      },
    });
    lab.recordEnd('s2', endOfCause('adb --password=canary exited with 1'));
    expect(JSON.stringify([...store.rows.values()])).not.toContain('canary');
    expect(store.rows.get('s2')?.failureReason).toContain('exited with 1');
  });

  it('what ran when the server went down is over; what runs on a node is not', async () => {
    const lab = labOf([]);
    await run(lab, 's1');
    await run(lab, 's2', { node: 'node-1' });
    labOf([]);
    expect(store.rows.get('s1')).toMatchObject({ status: 'failed', failureCategory: 'Hub Restart' });
    expect(store.rows.get('s2')).toMatchObject({ status: 'running', endedAt: null });
  });

  it('(contract 5) records are removed days after their end, by the setting of that moment', async () => {
    const days = { commands: 30, sessions: 2 };
    const lab = labOf([], { commands: () => days.commands, sessions: () => days.sessions });
    for (let count = 0; count < 25; count++) {
      await run(lab, `s${count}`);
      lab.recordEnd(`s${count}`, { category: null, reason: null });
    }
    await run(lab, 'runs');
    now += 3 * DAY_MS;
    days.sessions = 4;
    expect(lab.removeOld()).toBe(false);
    expect(store.rows.size).toBe(26);
    days.sessions = 2;
    expect(lab.removeOld()).toBe(true);
    expect(lab.removeOld()).toBe(false);
    expect([...store.rows.keys()]).toEqual(['runs']);
  });

  it('is found in any letter case for log sockets only', async () => {
    const lab = labOf([]);
    await run(lab, 'abc');
    expect(lab.sessions.findIgnoringCase('ABC')).toBe('abc');
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
