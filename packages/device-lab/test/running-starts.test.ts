import { silentLog } from '@svc/auth-core/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { DriverPorts } from '../src/decided/driver-ports.ts';
import { DeviceLab } from '../src/device-lab.ts';
import type { SessionEnd } from '../src/driver-sessions.ts';
import { ClientLeft } from '../src/queue/wish.ts';
import { listedDevices } from '../src/sources/listed-devices.ts';
import type { StartResult, StartSession } from '../src/start-session.ts';
import { StartTimedOut, WrongPhone } from '../src/starts/running-starts.ts';
import {
  MemoryCommandLog,
  MemoryDeviceSettings,
  MemoryDriverSessions,
  sampleAdmission,
} from '../src/testing/index.ts';

const PHONE = 'p-1';
const WANTED = () => ({ alwaysMatch: { platformName: 'Android', 'appium:automationName': 'UiAutomator2' } });

let lab: DeviceLab;
let ports: DriverPorts;
let ended: string[];
/** Calls that report the end of a session, by its id. */
let reports: Map<string, (end: SessionEnd) => void>;

beforeEach(() => {
  ended = [];
  reports = new Map();
  ports = new DriverPorts({ first: 25_000, last: 25_099 }, async () => () => undefined);
  const facts = { name: 'Pixel', platform: 'Android', osVersion: '14', node: null };
  const streams = { mjpegUrl: null, h264Url: null, logs: null };
  lab = new DeviceLab({
    sessions: new MemoryDriverSessions(),
    commands: new MemoryCommandLog(),
    deviceSettings: new MemoryDeviceSettings(),
    sources: [listedDevices('phones', [{ udid: PHONE, ...facts, ...streams }])],
    maxSessions: () => 0,
    retentionDays: { commands: () => 30, sessions: () => 365 },
    clock: { now: () => 7 },
    log: silentLog(),
    drivers: { applies: true, allowed: [], ports },
    startSeconds: 600,
  });
  lab.start();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => vi.useRealTimers());

const settled = () => new Promise(setImmediate);

function session(id: string, capabilities: Record<string, unknown> = {}): StartResult<string> {
  const over = new Promise<SessionEnd>((resolve) => reports.set(id, resolve));
  const end = async () => void ended.push(id);
  return { started: { id, capabilities, ended: over, end, keepAlive: async () => undefined }, answer: id };
}

/** A driver that settles when the test says so. */
function slowDriver() {
  let finish: (result: StartResult<string>) => void = () => undefined;
  let fail: (error: Error) => void = () => undefined;
  const result = new Promise<StartResult<string>>((resolve, reject) => {
    finish = resolve;
    fail = reject;
  });
  const start: StartSession<string> = () => result;
  return { start, finish, fail };
}

const state = () => ({ phone: lab.devices.statusOf(PHONE), ports: ports.inUse, ended });

describe('a driver that names its phone in its response', () => {
  it.each([{ deviceUDID: 'p-2' }, { 'appium:deviceUDID': 'p-2', 'appium:udid': PHONE }, { udid: 'p-2' }])(
    'is ended before the client learns its id if it took another one: %j (contract 14.2)',
    async (answer) => {
      const create = lab.createSession(sampleAdmission(), WANTED(), async () => session('s1', answer));
      await expect(create).rejects.toThrow(new WrongPhone(PHONE, 'p-2'));
      await expect(create).rejects.toThrow(/^the driver took another phone$/);
      expect(state()).toEqual({ phone: 'free', ports: 0, ended: ['s1'] });
      expect(lab.sessions.ownerOf('s1')).toBeUndefined();
    },
  );

  it('runs if it is the reserved one, at the port that the lab gave until it ends (contract 14.2)', async () => {
    const wanted = WANTED();
    const answer = { deviceUDID: PHONE, udid: PHONE };
    await lab.createSession(sampleAdmission(), wanted, async () => session('s1', answer));
    const given = (wanted.alwaysMatch as Record<string, unknown>)['appium:mjpegServerPort'];
    expect([lab.mjpegPortOf('s1'), ports.inUse]).toEqual([given, 4]);
    expect(lab.mjpegPortOf('s2')).toBeNull();
    reports.get('s1')?.({ category: null, reason: null });
    await settled();
    expect(lab.mjpegPortOf('s1')).toBeNull();
    expect(state()).toEqual({ phone: 'free', ports: 0, ended: [] });
  });
});

describe('the ports of a session', () => {
  it('are given back after a refusal, an error and an end by the lab (contract 14.5)', async () => {
    await lab.createSession(sampleAdmission(), WANTED(), async () => ({ refused: 'no' }));
    await lab
      .createSession(sampleAdmission(), WANTED(), () => Promise.reject(new Error('crashed')))
      .catch(() => undefined);
    expect(state()).toEqual({ phone: 'free', ports: 0, ended: [] });
    await lab.createSession(sampleAdmission(), WANTED(), async () => session('s1'));
    expect(ports.inUse).toBe(4);
    await lab.endSession('s1', { category: null, reason: null });
    expect(state()).toEqual({ phone: 'free', ports: 0, ended: ['s1'] });
  });

  it('are kept until the driver has ended, although the phone is gone already (contract 14.5)', async () => {
    await lab.createSession(sampleAdmission(), WANTED(), async () => session('s1'));
    lab.recordEnd('s1', { category: 'Session Lost', reason: 'the phone was disconnected' });
    expect(state()).toMatchObject({ phone: 'free', ports: 4 });
    reports.get('s1')?.({ category: null, reason: null });
    await settled();
    expect(ports.inUse).toBe(0);
  });
});

describe('a start that takes too long', () => {
  it('is refused, and the phone is free when the driver has settled and its session is ended (contract 14.7)', async () => {
    const driver = slowDriver();
    const create = lab.createSession(sampleAdmission(), WANTED(), driver.start);
    const refused = expect(create).rejects.toThrow(new StartTimedOut());
    await settled();
    await vi.advanceTimersByTimeAsync(600_000);
    await refused;
    expect(new StartTimedOut().message).toBe('the driver did not start in time');
    expect(state()).toEqual({ phone: 'busy', ports: 4, ended: [] });
    driver.finish(session('late'));
    await settled();
    expect(state()).toEqual({ phone: 'free', ports: 0, ended: ['late'] });
    expect(lab.sessions.ownerOf('late')).toBeUndefined();
  });

  it('frees the phone when the driver fails at last (contract 14.7)', async () => {
    const driver = slowDriver();
    const create = lab.createSession(sampleAdmission(), WANTED(), driver.start).catch(() => undefined);
    await settled();
    await vi.advanceTimersByTimeAsync(600_000);
    await create;
    driver.fail(new Error('exited'));
    await settled();
    expect(state()).toEqual({ phone: 'free', ports: 0, ended: [] });
  });
});

describe('a client that has gone', () => {
  it('leaves no session: it is ended as soon as the driver has made it (contract 14.7)', async () => {
    const driver = slowDriver();
    const left = new AbortController();
    const options = { gone: left.signal };
    const create = lab.createSession(sampleAdmission(), WANTED(), driver.start, options);
    const refused = expect(create).rejects.toThrow(ClientLeft);
    await settled();
    left.abort();
    await settled();
    expect(state()).toMatchObject({ phone: 'busy', ended: [] });
    driver.finish(session('orphan'));
    await refused;
    expect(state()).toEqual({ phone: 'free', ports: 0, ended: ['orphan'] });
  });
});
