import { type LabStores, labStores } from '@svc/store-sqlite/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Device, SourceDevice } from '../src/device.ts';
import { DeviceLab } from '../src/device-lab.ts';
import type { DeviceSource } from '../src/sources/device-source.ts';
import { sampleAdmission, samplePhones, sampleStart } from '../src/testing/index.ts';

const silent = { debug() {}, info() {}, warn() {}, error() {} };
const PHONE: SourceDevice = {
  ...{ udid: 'virtual-1', name: 'One', platform: 'Fake', osVersion: '1', node: null },
  ...{ mjpegUrl: null, h264Url: null, logs: null },
};

type Report = (found: readonly SourceDevice[]) => void;

/** @returns a source that reports one phone. `given` gets the function with which the test reports other phones. */
const plugs = (given: (report: Report) => unknown): DeviceSource => ({
  name: 'plugs',
  comesAndGoes: true,
  endsSessions: true,
  start: (report) => {
    given(report);
    report([PHONE]);
  },
  stop: () => undefined,
});

const refuse = async () => ({ refused: null });

describe('the status of a phone', () => {
  let seen: { type: string; payload: Readonly<Record<string, unknown>>; isLogged: boolean }[];
  let statuses: unknown[];
  let settings: LabStores['deviceSettings'];

  beforeEach(() => {
    vi.useFakeTimers();
    settings = labStores().deviceSettings;
  });
  afterEach(() => void vi.useRealTimers());

  function watched(sources: readonly DeviceSource[] = [samplePhones(1, 'virtual')]) {
    const lab = new DeviceLab({
      sessions: labStores().sessions,
      commands: labStores().commands,
      deviceSettings: settings,
      sources,
      maxSessions: () => 0,
      retentionDays: { commands: () => 30, sessions: () => 365 },
      clock: { now: () => 1000 },
      log: silent,
    });
    lab.start();
    seen = [];
    statuses = [];
    lab.events.subscribe(({ type, payload, audience, isLogged = true }) => {
      if (!(audience.kind === 'starting device' && audience.seesSession))
        seen.push({ type, payload, isLogged });
      if (type !== 'device_changed') return;
      // Of the two events about a session that starts, take the one for callers who would not see the session.
      if (audience.kind === 'starting device' && audience.seesSession) {
        expect(payload.starting).toEqual({ owner: null, since: '1970-01-01T00:00:01.000Z' });
        return;
      }
      expect(payload).not.toHaveProperty('starting');
      expect(['device', 'starting device']).toContain(audience.kind);
      statuses.push(payload.status);
    });
    return lab;
  }

  it('the status of a phone is told when a session takes it and when it is free again, without the session (contract 2, /events)', async () => {
    const lab = watched();
    await lab.creates.createSession(sampleAdmission(), {}, sampleStart('s1'));
    expect(statuses).toEqual(['busy']);
    await lab.endSession('s1', { category: null, reason: null });
    expect(statuses).toEqual(['busy', 'free']);
    expect(seen.find(({ type }) => type === 'device_changed')).toEqual({
      type: 'device_changed',
      payload: {
        ...{ udid: 'virtual-1', name: expect.any(String), platform: 'Fake', osVersion: expect.any(String) },
        ...{ node: null, teamId: null, status: 'busy', tags: [], idleSince: null },
        ...{ model: null, manufacturer: null, apiLevel: null, kind: null, avd: null },
        ...{ note: null, outOfService: null },
      },
      isLogged: false,
    });
  });

  it('the status of a phone is told with the note of the phone and why it is out of service (contract 17.1)', () => {
    const lab = watched();
    const by = { id: 'a1', email: 'ana@example.test' };
    lab.outOfService = () => ({ reason: 'broken', by, since: 0, until: 1000 });
    const device = lab.devices.change('virtual-1', { note: 'cracked' });
    if (device !== undefined) lab.deviceChanged(device, null);
    expect(seen.at(-1)?.payload).toMatchObject({
      note: 'cracked',
      outOfService: {
        ...{ reason: 'broken', by },
        ...{ since: '1970-01-01T00:00:00.000Z', until: '1970-01-01T00:00:01.000Z' },
      },
    });
  });

  it('the status of a phone is told of a create that fails, too (contract 2, /events)', async () => {
    const lab = watched();
    for (let turn = 0; turn < 5; turn += 1) await lab.creates.createSession(sampleAdmission(), {}, refuse);
    expect(statuses).toEqual(Array.from({ length: 5 }, () => ['busy', 'free']).flat());
    vi.advanceTimersByTime(1_000);
    expect(statuses).toHaveLength(10);
  });

  it('the status of a phone is told at most 20 times a second and once more for the last one, whatever creates do', async () => {
    const lab = watched();
    for (let turn = 0; turn < 1_000; turn += 1) {
      await lab.creates.createSession(sampleAdmission(), {}, refuse);
      vi.advanceTimersByTime(2);
    }
    expect(statuses).toHaveLength(42);
    const running = lab.creates.createSession(sampleAdmission(), {}, sampleStart('s1'));
    await running;
    for (const status of ['busy', 'busy']) {
      vi.advanceTimersByTime(1_000);
      expect(statuses.at(-1)).toBe(status);
    }
  });

  it('the status of a phone is told when the phone leaves and comes back (contract 2, /events)', () => {
    let report: Report = () => undefined;
    watched([plugs((each) => (report = each))]);
    for (const found of [[], [PHONE], [PHONE]]) report(found);
    expect(statuses).toEqual(['away', 'free']);
    expect(seen.filter(({ isLogged }) => isLogged).map(({ type }) => type)).toEqual([
      'device_offline',
      'device_online',
    ]);
  });

  it('the status of a phone is told after a restart once its source has it again (contract 2, /events; contract 8.4)', () => {
    let report: Report = () => undefined;
    watched([plugs((each) => (report = each))]);
    const start = (each: Report) => {
      report = each;
    };
    watched([{ ...plugs(() => undefined), start }]);
    expect(statuses).toEqual([]);
    report([PHONE]);
    expect(statuses).toEqual(['free']);
    expect(seen.map(({ isLogged }) => isLogged)).toEqual([false]);
  });

  it('the status of a phone that is away or unknown does not change with its session', () => {
    let report: Report = () => undefined;
    const lab = watched([plugs((each) => (report = each))]);
    report([]);
    for (const udid of ['virtual-1', 'unknown']) {
      lab.devices.hold(udid);
      lab.devices.release(udid);
    }
    expect(statuses).toEqual(['away']);
  });

  it('a phone given to another team is reported as changed to those who see it and as hidden to those who no longer do', () => {
    const lab = watched();
    const events: unknown[] = [];
    lab.events.subscribe(({ type, payload, audience }) =>
      events.push([type, 'udid' in payload && payload.udid, audience]),
    );
    const device = lab.devices.change('virtual-1', { teamId: null });
    lab.deviceChanged(device as Device, 'red');
    expect(events).toEqual([
      ['device_changed', 'virtual-1', { kind: 'device', teamId: null }],
      ['device_hidden', 'virtual-1', { kind: 'hidden device', from: 'red', to: null }],
    ]);
    expect(seen.at(-1)?.payload).toEqual({ udid: 'virtual-1' });
    lab.deviceChanged(device as Device, null);
    expect(events.slice(2)).toEqual([['device_changed', 'virtual-1', { kind: 'device', teamId: null }]]);
  });
});
