import { type LabStores, labStores } from '@svc/store-sqlite/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import type { SourceDevice } from '../src/device.ts';
import { DeviceLab } from '../src/device-lab.ts';
import { endOfCause } from '../src/end-cause.ts';
import type { DeviceSource } from '../src/sources/device-source.ts';
import type { StartedSession } from '../src/start-session.ts';
import { sampleAdmission, samplePhones, sampleStart } from '../src/testing/index.ts';

const silent = { debug() {}, info() {}, warn() {}, error() {} };
let store: LabStores['sessions'];
let settings: LabStores['deviceSettings'];
let now: number;
let told: string[];
const DAY_MS = 24 * 60 * 60 * 1000;
const labOf = (
  sources: readonly DeviceSource[],
  retentionDays = { commands: () => 30, sessions: () => 365 },
) => {
  const lab = new DeviceLab({
    sessions: store,
    commands: labStores().commands,
    deviceSettings: settings,
    sources,
    maxSessions: () => 0,
    retentionDays,
    clock: { now: () => now },
    log: silent,
  });
  lab.events.subscribe(({ type, payload }) =>
    told.push(`${type} ${'id' in payload ? payload.id : undefined}`),
  );
  lab.start();
  return lab;
};

const run = (lab: DeviceLab, id: string, change?: Partial<StartedSession>) =>
  lab.creates.createSession(sampleAdmission(), {}, sampleStart(id, change));

beforeEach(() => {
  store = labStores().sessions;
  settings = labStores().deviceSettings;
  now = 1000;
  told = [];
});

describe('sessions', () => {
  it('an owner that could not be stored is nobody, and the phone is free again (specification 5.4.5)', async () => {
    const lab = labOf([samplePhones(1, 'virtual')]);
    store.failing = new Error('disk full');
    await expect(run(lab, 's1')).rejects.toMatchObject({ cause: store.failing });
    expect(lab.sessions.ownerOf('s1')).toBeUndefined();
    expect(lab.devices.statusOf('virtual-1')).toBe('free');
  });

  it('an end that cannot be stored is an end all the same', async () => {
    const lab = labOf([samplePhones(1, 'virtual')]);
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
    expect(store.rows.find(({ id }) => id === 's1')).toMatchObject({
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
    expect(JSON.stringify(store.rows)).not.toContain('canary');
    expect(store.rows.find(({ id }) => id === 's2')?.failureReason).toContain('exited with 1');
  });

  it('a session that ran when the server went down is over, but one on a node is not', async () => {
    const lab = labOf([]);
    await run(lab, 's1');
    await run(lab, 's2', { node: 'node-1' });
    told = [];
    labOf([]);
    expect(told).toEqual(['session_ended s1']);
    expect(store.rows.find(({ id }) => id === 's1')).toMatchObject({
      status: 'failed',
      failureCategory: 'Hub Restart',
    });
    expect(store.rows.find(({ id }) => id === 's2')).toMatchObject({ status: 'running', endedAt: null });
  });

  it('records are removed days after their end, by the setting of that moment (contract 5)', async () => {
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
    expect(store.rows.length).toBe(26);
    days.sessions = 2;
    expect(lab.removeOld()).toBe(true);
    expect(lab.removeOld()).toBe(false);
    expect(store.rows.map(({ id }) => id)).toEqual(['runs']);
  });

  it('a session is found in any letter case for log sockets only', async () => {
    const lab = labOf([]);
    await run(lab, 'abc');
    expect(lab.sessions.findIgnoringCase('ABC')).toBe('abc');
    expect(lab.sessions.ownerOf('ABC')).toBeUndefined();
  });
});

describe('a phone that is unplugged', () => {
  /** @returns a source with one phone, and functions that plug and unplug the phone */
  function plugs(endsSessions = true) {
    let report: Parameters<DeviceSource['start']>[0] = () => undefined;
    const [phone] = sourceDevices();
    const source: DeviceSource = {
      name: 'adb',
      comesAndGoes: true,
      endsSessions,
      start: (given) => {
        report = given;
        report([phone]);
      },
      stop: () => undefined,
    };
    return { source, plug: () => report([phone]), unplug: () => report([]) };
  }

  it('a phone that is unplugged is away, its session lost at once and ended once, and back it is free (contract 2 /devices)', async () => {
    const { source, plug, unplug } = plugs();
    const lab = labOf([source]);
    const told: string[] = [];
    lab.events.subscribe(({ type, payload, audience }) =>
      told.push(`${type} ${'status' in payload && payload.status} ${JSON.stringify(audience)}`),
    );
    let ends = 0;
    const stuck = new Promise<void>(() => undefined);
    await run(lab, 's1', {
      end: () => {
        ends++;
        return stuck;
      },
    });
    unplug();
    expect(store.rows.find(({ id }) => id === 's1')).toMatchObject({
      status: 'failed',
      failureCategory: 'Session Lost',
      endedAt: 1000,
    });
    expect([lab.devices.statusOf('virtual-1'), ends]).toEqual(['away', 1]);
    await lab.endSession('s1', { category: null, reason: null });
    await expect(run(lab, 's2')).rejects.toThrow('no phone of this lab fits');
    plug();
    expect(lab.devices.statusOf('virtual-1')).toBe('free');
    expect(ends).toBe(1);
    expect(told.filter((each) => !each.startsWith('device_changed'))).toEqual([
      'session_started running {"kind":"session","ownerId":null}',
      'device_offline away {"kind":"device","teamId":null}',
      'session_ended failed {"kind":"session","ownerId":null}',
      'device_online free {"kind":"device","teamId":null}',
    ]);
  });

  it('a session whose phone is unplugged while it starts is lost as soon as it runs', async () => {
    const { source, unplug } = plugs();
    const lab = labOf([source]);
    const start = sampleStart('s1');
    await lab.creates.createSession(sampleAdmission(), {}, async (wanted) => {
      unplug();
      return await start(wanted);
    });
    expect(store.rows.find(({ id }) => id === 's1')).toMatchObject({ failureCategory: 'Session Lost' });
    expect(lab.sessions.runningCount).toBe(0);
  });

  it('a phone unplugged from a node that does not report takes no session with it (contract 8.1)', async () => {
    const { source, unplug } = plugs(false);
    const lab = labOf([source]);
    await run(lab, 's1', { node: 'node-1' });
    unplug();
    expect(lab.devices.statusOf('virtual-1')).toBe('away');
    expect(store.rows.find(({ id }) => id === 's1')).toMatchObject({ status: 'running' });
  });
});

/** @returns the devices that a source with one phone reports */
function sourceDevices() {
  let found: readonly SourceDevice[] = [];
  samplePhones(1, 'virtual').start((devices) => {
    found = devices;
  });
  return found as [SourceDevice];
}

it.each([
  ['New Command Timeout of 60 seconds expired. Try', 'Timeout'],
  ['The process has received SIGTERM signal', 'Hub Restart'],
  ['The driver was unexpectedly shut down!', 'Session Lost'],
])('%s is %s (specification 9.2)', (message, category) => {
  expect(endOfCause(message)).toEqual({ category, reason: message });
});
