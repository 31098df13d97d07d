import { silentLog } from '@svc/auth-core/testing';
import { labStores } from '@svc/store-sqlite/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ObservedCommand } from '../src/command-log/entry.ts';
import { capabilitySets, valuesOf } from '../src/decided/decided-capabilities.ts';
import { DriverPorts } from '../src/decided/driver-ports.ts';
import { DeviceLab } from '../src/device-lab.ts';
import type { SessionEnd } from '../src/driver-sessions.ts';
import { ClientLeft } from '../src/queue/phone-request.ts';
import { listedDevices } from '../src/sources/listed-devices.ts';
import type { StartedSession, StartResult, StartSession } from '../src/start-session.ts';
import { WrongPhone } from '../src/starts/running-starts.ts';
import { sampleAdmission } from '../src/testing/index.ts';

const PHONE = 'p-1';
const WANTED = () => ({ alwaysMatch: { platformName: 'Android', 'appium:automationName': 'UiAutomator2' } });

let lab: DeviceLab;
let ports: DriverPorts;
let now: number;
let ended: string[];
/** Calls that report the end of a session, by its id. */
let reports: Map<string, (end: SessionEnd) => void>;

beforeEach(() => {
  now = 7;
  ended = [];
  reports = new Map();
  ports = new DriverPorts({ first: 25_000, last: 25_099 }, async () => () => undefined);
  const facts = { name: 'Pixel', platform: 'Android', osVersion: '14', node: null };
  const streams = { mjpegUrl: null, h264Url: null, logs: null };
  lab = new DeviceLab({
    sessions: labStores().sessions,
    commands: labStores().commands,
    deviceSettings: labStores().deviceSettings,
    sources: [listedDevices('phones', [{ udid: PHONE, ...facts, ...streams }])],
    maxSessions: () => 0,
    retentionDays: { commands: () => 30, sessions: () => 365 },
    clock: { now: () => now },
    log: silentLog(),
    drivers: { applies: true, allowed: [], ports },
    startSeconds: 600,
    maxIdleSeconds: 30,
    maxSessionMinutes: 5,
  });
  lab.start();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => vi.useRealTimers());

const settled = () => new Promise(setImmediate);

function session(
  id: string,
  capabilities: Record<string, unknown> = {},
  probe: StartedSession['probe'] = async () => undefined,
): StartResult<string> {
  const over = new Promise<SessionEnd>((resolve) => reports.set(id, resolve));
  const end = async () => void ended.push(id);
  const keepAlive = async () => undefined;
  return { started: { id, capabilities, ended: over, end, keepAlive, probe }, answer: id };
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
    'a driver that names its phone in its response is ended before the client learns its id if it took another one: %j (contract 14.2)',
    async (answer) => {
      const create = lab.creates.createSession(sampleAdmission(), WANTED(), async () =>
        session('s1', answer),
      );
      await expect(create).rejects.toThrow(new WrongPhone(PHONE, 'p-2'));
      await expect(create).rejects.toThrow(/^the driver took another phone$/);
      expect(state()).toEqual({ phone: 'free', ports: 0, ended: ['s1'] });
      expect(lab.sessions.ownerOf('s1')).toBeUndefined();
    },
  );

  it('a driver that names its phone in its response runs if it is the reserved one, at the port that the lab gave until it ends (contract 14.2)', async () => {
    const wanted = WANTED();
    const answer = { deviceUDID: PHONE, udid: PHONE };
    await lab.creates.createSession(sampleAdmission(), wanted, async () => session('s1', answer));
    const given = (wanted.alwaysMatch as Record<string, unknown>)['appium:mjpegServerPort'];
    expect([lab.places.mjpegPortOf('s1'), ports.inUse]).toEqual([given, 4]);
    expect(lab.places.mjpegPortOf('s2')).toBeNull();
    reports.get('s1')?.({ category: null, reason: null });
    await settled();
    expect(lab.places.mjpegPortOf('s1')).toBeNull();
    expect(state()).toEqual({ phone: 'free', ports: 0, ended: [] });
  });
});

describe('the ports of a session', () => {
  it('the ports of a session are given back after a refusal, an error and an end by the lab (contract 14.5)', async () => {
    await lab.creates.createSession(sampleAdmission(), WANTED(), async () => ({ refused: 'no' }));
    await lab.creates
      .createSession(sampleAdmission(), WANTED(), () => Promise.reject(new Error('crashed')))
      .catch(() => undefined);
    expect(state()).toEqual({ phone: 'free', ports: 0, ended: [] });
    await lab.creates.createSession(sampleAdmission(), WANTED(), async () => session('s1'));
    expect(ports.inUse).toBe(4);
    await lab.endSession('s1', { category: null, reason: null });
    expect(state()).toEqual({ phone: 'free', ports: 0, ended: ['s1'] });
  });

  it('the ports of a session are kept until the driver has ended, although the phone is gone already (contract 14.5)', async () => {
    await lab.creates.createSession(sampleAdmission(), WANTED(), async () => session('s1'));
    lab.recordEnd('s1', { category: 'Session Lost', reason: 'the phone was disconnected' });
    expect(state()).toMatchObject({ phone: 'free', ports: 4 });
    reports.get('s1')?.({ category: null, reason: null });
    await settled();
    expect(ports.inUse).toBe(0);
  });
});

describe('a start that takes too long', () => {
  it('a start that takes too long is refused, and the phone is free when the driver has settled and its session is ended (contract 14.7)', async () => {
    const driver = slowDriver();
    const create = lab.creates.createSession(sampleAdmission(), WANTED(), driver.start);
    const refused = expect(create).rejects.toThrow(/^the driver did not start in time$/);
    await settled();
    await vi.advanceTimersByTimeAsync(600_000);
    await refused;
    expect(state()).toEqual({ phone: 'busy', ports: 4, ended: [] });
    driver.finish(session('late'));
    await settled();
    expect(state()).toEqual({ phone: 'free', ports: 0, ended: ['late'] });
    expect(lab.sessions.ownerOf('late')).toBeUndefined();
  });

  it('a start that takes too long frees the phone when the driver fails at last (contract 14.7)', async () => {
    const driver = slowDriver();
    const create = lab.creates
      .createSession(sampleAdmission(), WANTED(), driver.start)
      .catch(() => undefined);
    await settled();
    await vi.advanceTimersByTimeAsync(600_000);
    await create;
    driver.fail(new Error('exited'));
    await settled();
    expect(state()).toEqual({ phone: 'free', ports: 0, ended: [] });
  });
});

describe('a client that has gone', () => {
  it('a client that has gone leaves no session: it is ended as soon as the driver has made it (contract 14.7)', async () => {
    const driver = slowDriver();
    const left = new AbortController();
    const options = { gone: left.signal };
    const create = lab.creates.createSession(sampleAdmission(), WANTED(), driver.start, options);
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

describe('an Admin who releases a phone', () => {
  it('an Admin who releases a phone ends the start on it: the client is answered, and the phone is free when the driver settles (contract 14.7)', async () => {
    const driver = slowDriver();
    const create = lab.creates.createSession(sampleAdmission(), WANTED(), driver.start);
    const refused = expect(create).rejects.toThrow('the phone was released by an administrator');
    await settled();
    await lab.releaseDevice(PHONE);
    await refused;
    expect(state()).toMatchObject({ phone: 'busy', ended: [] });
    driver.finish(session('s1'));
    await settled();
    expect(state()).toEqual({ phone: 'free', ports: 0, ended: ['s1'] });
  });

  it('an Admin who releases a phone ends the session on it, and changes nothing on a free phone (contract 14.7)', async () => {
    await lab.releaseDevice(PHONE);
    await lab.creates.createSession(sampleAdmission(), WANTED(), async () => session('s1'));
    await lab.releaseDevice(PHONE);
    expect(state()).toEqual({ phone: 'free', ports: 0, ended: ['s1'] });
    expect(lab.sessions.byId('s1')).toMatchObject({ status: 'ended', failureCategory: null });
  });

  it('an Admin who releases a phone frees the phone although the driver does not end its session (contract 14.7)', async () => {
    const { started } = session('s1') as { started: StartedSession };
    const hanging = { ...started, end: () => new Promise<never>(() => undefined) };
    await lab.creates.createSession(sampleAdmission(), WANTED(), async () => ({
      started: hanging,
      answer: '',
    }));
    const released = lab.releaseDevice(PHONE);
    await vi.advanceTimersByTimeAsync(10_000);
    await released;
    expect(state()).toMatchObject({ phone: 'free', ports: 4 });
  });
});

describe('a session', () => {
  it('a session ends after the maximum time with the category Timeout (contract 14.7)', async () => {
    await lab.creates.createSession(sampleAdmission(), WANTED(), async () => session('s1'));
    now += 5 * 60_000 - 1;
    lab.sweep();
    await settled();
    expect(ended).toEqual([]);
    now += 1;
    lab.sweep();
    lab.sweep();
    await settled();
    expect(state()).toEqual({ phone: 'free', ports: 0, ended: ['s1'] });
    expect(lab.sessions.byId('s1')).toMatchObject({ status: 'failed', failureCategory: 'Timeout' });
  });

  it.each([
    [600, 30],
    [0, 30],
    [-1, 30],
    ['600', 30],
    [true, 30],
    [20, 20],
    ['20', '20'],
    [undefined, 30],
    [null, 30],
  ])('a session that requests an idle time of %j gets %j (contract 14.7)', async (asked, given) => {
    const wanted = { alwaysMatch: {}, firstMatch: [{ 'appium:options': { newCommandTimeout: asked } }] };
    await lab.creates.createSession(sampleAdmission(), wanted, async () => session('s1'));
    const [written] = valuesOf(capabilitySets(wanted), 'newcommandtimeout').filter((value) => value != null);
    expect(written).toBe(given);
  });

  it.each([
    [
      500,
      "An unknown server-side error occurred while processing the command. Original error: 'POST /element' cannot be proxied to UiAutomator2 server because the instrumentation process is not running (probably crashed). Check the server log",
      'Driver Crash',
    ],
    [
      500,
      'Could not proxy command to the remote server. Original error: connect ECONNREFUSED 127.0.0.1:20000',
      'Driver Crash',
    ],
    [500, 'An unknown server-side error occurred. Original error: socket hang up', null],
    [404, 'the instrumentation process is not running (probably crashed)', null],
  ])(
    'a session is ended by an answer with %i %s only if its driver died (contract 14.7)',
    async (status, message, category) => {
      await lab.creates.createSession(sampleAdmission(), WANTED(), async () => session('s1'));
      lab.commandLog.add(
        answered('s1', status, { value: { error: 'unknown error', message, stacktrace: '' } }),
      );
      await settled();
      expect(lab.sessions.byId('s1')?.failureCategory ?? null).toBe(category);
      expect(state()).toMatchObject(
        category === null ? { phone: 'busy', ports: 4 } : { phone: 'free', ports: 0 },
      );
    },
  );

  const BROKEN = 'Could not proxy command to the remote server. Original error: socket hang up';
  const DIED =
    "'GET /source' cannot be proxied to UiAutomator2 server because the instrumentation process is not running (probably crashed)";

  it.each([
    ['the server has died', [DIED], DIED],
    ['every connection breaks', [BROKEN, BROKEN], BROKEN],
    ['the first answer is lost, too, and the server has died', [BROKEN, DIED], DIED],
    ['the driver answers', [undefined], null],
    ['the driver answers after a second broken connection', [BROKEN, undefined], null],
    ['the driver refuses the command', ['unknown command'], null],
  ])(
    "a session with a broken connection to its driver's server is ended if %s, after one more request (contract 14.7)",
    async (_case, answers, reason) => {
      const left = [...answers];
      await lab.creates.createSession(sampleAdmission(), WANTED(), async () =>
        session('s1', {}, async () => left.shift()),
      );
      lab.commandLog.add(answered('s1', 500, { value: { error: 'unknown error', message: BROKEN } }));
      for (let turn = 0; turn < 5; turn++) await settled();
      expect(left).toEqual([]);
      expect(lab.sessions.byId('s1')).toMatchObject({
        failureCategory: reason === null ? null : 'Driver Crash',
        failureReason: reason,
      });
    },
  );

  it('a session is examined by one command at a time, however many commands failed (contract 14.7)', async () => {
    const probes: ((message: string | undefined) => void)[] = [];
    const probe = () => new Promise<string | undefined>((resolve) => probes.push(resolve));
    await lab.creates.createSession(sampleAdmission(), WANTED(), async () => session('s1', {}, probe));
    for (let count = 0; count < 5; count++)
      lab.commandLog.add(answered('s1', 500, { value: { error: 'unknown error', message: BROKEN } }));
    await settled();
    expect(probes).toHaveLength(1);
    probes[0]?.(DIED);
    await settled();
    expect(lab.sessions.byId('s1')).toMatchObject({ failureCategory: 'Driver Crash' });
  });
});

/** A command of a session, with its response. */
function answered(sessionId: string, status: number, body: object): ObservedCommand {
  return {
    sessionId,
    status,
    ownerId: null,
    at: now,
    method: 'POST',
    path: `/session/${sessionId}/element`,
    durationMs: 1,
    size: 1,
    body: {},
    response: () => JSON.stringify(body),
    shed: () => undefined,
  };
}
