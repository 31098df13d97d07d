import { silentLog } from '@svc/auth-core/testing';
import { type LabStores, labStores } from '@svc/store-sqlite/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import { HealthProbes } from '../src/care/health-probes.ts';
import type { PhoneHealth } from '../src/care/judge-health.ts';
import { OutOfService } from '../src/care/out-of-service.ts';
import type { ProbeResult } from '../src/care/probe-phone.ts';
import { Devices } from '../src/devices.ts';
import type { NewLabEvent } from '../src/events/lab-events.ts';
import { listedDevices } from '../src/sources/listed-devices.ts';

const WELL: PhoneHealth = {
  isBooted: true,
  battery: 90,
  isCharging: false,
  temperature: 30,
  storageFree: 9_000_000_000,
};
const EMPTY: PhoneHealth = { ...WELL, battery: 3 };
const phone = (udid: string, logs: 'adb' | null = 'adb') => ({
  ...{ udid, name: `Phone ${udid}`, platform: 'Android', osVersion: '14', node: null, logs },
  ...{ mjpegUrl: null, h264Url: null },
});

let now: number;
let store: LabStores['care'];
let devices: Devices;
let care: OutOfService;
let events: NewLabEvent[];
let leased: Set<string>;
let probed: string[];
let answers: Record<string, ProbeResult>;
/** Called while a probe waits for the answer of the phone. */
let meanwhile: () => void;
let probes: HealthProbes;

function open(seconds = 60): void {
  const clock = { now: () => now };
  const log = silentLog();
  care = new OutOfService({
    store,
    lab: {
      devices,
      events: { publish: (event) => void events.push(event) },
      deviceChanged: () => undefined,
    },
    // biome-ignore lint/suspicious/noExplicitAny: the transaction of these tests is empty
    stores: { transaction: (work: any) => work({}) },
    audit: { record: () => undefined } as never,
    ...{ clock, log },
  });
  probes = new HealthProbes({
    ...{ devices, care, seconds, clock, log, limits: { minBattery: 15, maxTemperature: 50 } },
    leases: { on: (udid) => (leased.has(udid) ? ({} as never) : undefined) },
    probe: async (udid, isFree) => {
      await Promise.resolve();
      if (!isFree()) return 'skipped';
      probed.push(udid);
      meanwhile();
      return answers[udid] ?? WELL;
    },
  });
}

beforeEach(() => {
  now = 1_000;
  store = labStores().care;
  devices = new Devices({
    settings: labStores().deviceSettings,
    clock: { now: () => now },
    log: silentLog(),
  });
  const listed = [phone('a'), phone('b'), phone('plain', null)];
  listedDevices('test', listed).start((found) => devices.report(listedDevices('test', listed), found));
  [events, leased, probed, answers, meanwhile] = [[], new Set(), [], {}, () => undefined];
  open();
});

describe('probes of phones', () => {
  it('probes of phones read each free adb phone, and say when they did (contract 17.2)', async () => {
    await probes.round();
    expect(probed).toEqual(['a', 'b']);
    const { battery, temperature, storageFree } = WELL;
    expect(probes.of('a')).toEqual({ battery, temperature, storageFree, checkedAt: 1_000 });
    expect(probes.of('plain')).toBeNull();
    expect(care.count).toBe(0);
  });

  it('probes of phones leave phones alone that are in use or leased, also if that began during the round (contract 17.2)', async () => {
    devices.hold('a');
    leased.add('b');
    await probes.round();
    expect(probed).toEqual([]);
    devices.release('a');
    const round = probes.round();
    devices.hold('a');
    await round;
    expect(probed).toEqual([]);
  });

  it('probes of phones do not judge a phone that was taken while it answered (contract 17.2)', async () => {
    answers.a = EMPTY;
    meanwhile = () => devices.hold('a');
    await probes.round();
    expect([care.on('a'), probes.of('a')]).toEqual([null, null]);
  });

  it('probes of phones put a phone out of service and back, with one event each (contract 17.2)', async () => {
    answers.a = EMPTY;
    await probes.round();
    answers.a = { ...EMPTY, battery: 2 };
    await probes.round();
    const reason = 'its battery has 3 % and does not charge';
    expect(care.on('a')).toEqual({ udid: 'a', reason, byId: null, since: 1_000, until: null });
    expect(devices.availabilityOf('a')).toBe('busy');
    expect(probes.of('a')?.battery).toBe(2);
    answers.a = { ...WELL, temperature: 60 };
    await probes.round();
    expect(care.on('a')?.reason).toBe('its battery has 60 °C');
    delete answers.a;
    await probes.round();
    expect(care.on('a')).toBeNull();
    expect(events.map(({ type, payload }) => [type, payload])).toEqual([
      ['device_unhealthy', { udid: 'a', name: 'Phone a', reason }],
      ['device_healthy', { udid: 'a', name: 'Phone a', reason: 'a probe found it well' }],
    ]);
    expect(events[0]?.audience).toEqual({ kind: 'device', teamId: null });
  });

  it('probes of phones need two silences in a row to put a phone out (contract 17.2)', async () => {
    for (const answer of ['silent', WELL, 'silent', 'skipped'] as const) {
      answers.a = answer;
      await probes.round();
      expect(care.on('a')).toBeNull();
    }
    answers.a = 'silent';
    await probes.round();
    expect(care.on('a')?.reason).toBe('it does not answer');
    expect(care.on('b')).toBeNull();
  });

  it('probes of phones never change what an Admin or another part of the lab has put out (contract 17.2)', async () => {
    store.save({ udid: 'a', reason: 'it does not answer', byId: 'root', since: 5, until: null });
    open();
    care.putOut('b', 'the driver refused 3 creates in a row', 300_000);
    await probes.round();
    answers = { a: EMPTY, b: EMPTY };
    await probes.round();
    expect([care.on('a')?.byId, care.on('a')?.reason]).toEqual(['root', 'it does not answer']);
    expect(care.on('b')).toMatchObject({ reason: 'the driver refused 3 creates in a row', until: 300_000 });
  });

  it('probes of phones put phones back after a restart, also when they are off from then on (contract 17.2)', async () => {
    answers = { a: EMPTY, b: EMPTY };
    await probes.round();
    answers = { b: EMPTY };
    open();
    expect([care.on('a'), care.on('b')]).not.toContain(null);
    await probes.round();
    expect([care.on('a'), care.on('b')]).toEqual([null, expect.anything()]);
    open(0);
    care.putOut('a', 'cleaning failed', null);
    probes.start();
    expect([care.on('a')?.reason, care.on('b')]).toEqual(['cleaning failed', null]);
  });
});
