import { silentLog } from '@svc/auth-core/testing';
import { type LabStores, labStores } from '@svc/store-sqlite/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import { NoMatchingDevice } from '../src/allocate-device.ts';
import { DeviceLab } from '../src/device-lab.ts';
import type { SessionEnd } from '../src/driver-sessions.ts';
import { SessionNotRecorded } from '../src/session-record.ts';
import type { SessionStart, StartSession } from '../src/start-session.ts';
import { sampleAdmission, samplePhones, sampleStart } from '../src/testing/index.ts';

const DEVICE = 'virtual-1';
const OVER: SessionEnd = { category: null, reason: 'ended by an administrator' };

/** A simple node for tests, as described in CONTRIBUTING.md. It only has a list of its sessions. */
class ToyNode {
  readonly running = new Map<string, (end: SessionEnd) => void>();
  readonly asked: SessionStart[] = [];
  readonly calls: string[] = [];
  failing: Error | null = null;
  gate: Promise<void> = Promise.resolve();

  readonly start: StartSession<string> = async (start) => {
    this.asked.push(start);
    const id = `s${this.asked.length}`;
    let report: (end: SessionEnd) => void = () => undefined;
    const ended = new Promise<SessionEnd>((resolve) => {
      report = resolve;
    });
    this.running.set(id, report);
    const started = {
      id,
      capabilities: { platformName: 'Toy' },
      node: 'node-1',
      ended,
      end: async () => {
        this.calls.push(`end ${id}`);
        await this.gate;
        this.running.delete(id);
        // Report the end, because a node reports every end, including one that the hub requested.
        report({ category: null, reason: null });
        if (this.failing !== null) throw this.failing;
      },
      keepAlive: async () => void this.calls.push(`keep ${id} alive`),
    };
    return { started, answer: `${id} runs` };
  };
}

let store: LabStores['sessions'];
let log: ReturnType<typeof silentLog>;
let node: ToyNode;
let lab: DeviceLab;
const newLab = (maxSessions = 0) => {
  const lab = new DeviceLab({
    sessions: store,
    commands: labStores().commands,
    deviceSettings: labStores().deviceSettings,
    sources: [samplePhones(1, 'virtual')],
    maxSessions: () => maxSessions,
    retentionDays: { commands: () => 30, sessions: () => 365 },
    clock: { now: () => 7 },
    log,
  });
  lab.start();
  return lab;
};
const settled = () => new Promise(setImmediate);

beforeEach(() => {
  store = labStores().sessions;
  log = silentLog();
  node = new ToyNode();
  lab = newLab();
});

describe('a session started elsewhere', () => {
  it('a session started elsewhere is asked to run on the reserved device and no other, and is recorded with its place (contract 6.4)', async () => {
    const wanted = { firstMatch: [{ 'appium:udid': DEVICE }] };
    const outcome = await lab.creates.createSession(
      sampleAdmission({ healingTiers: [2] }),
      wanted,
      node.start,
    );
    const record = store.byId('s1');
    expect(outcome).toEqual({ session: record, answer: 's1 runs' });
    expect(node.asked).toMatchObject([{ device: { udid: DEVICE }, capabilities: wanted }]);
    expect(wanted).toEqual({ alwaysMatch: { 'appium:udid': DEVICE }, firstMatch: [{}] });
    expect(record).toMatchObject({
      status: 'running',
      node: 'node-1',
      device: { udid: DEVICE },
      startedAt: 7,
      healingTiers: [2],
      capabilities: { platformName: 'Toy' },
    });
    expect(lab.devices.statusOf(DEVICE)).toBe('busy');
  });

  it('a session started elsewhere is not started without a device or room for it (contract 6.4, specification 8.2)', async () => {
    await lab.creates.createSession(sampleAdmission(), {}, node.start);
    await expect(lab.creates.createSession(sampleAdmission(), {}, node.start)).rejects.toThrow(
      NoMatchingDevice,
    );
    store = labStores().sessions;
    const full = newLab(1);
    await full.creates.createSession(sampleAdmission(), {}, node.start);
    await expect(full.creates.createSession(sampleAdmission(), {}, node.start)).rejects.toMatchObject({
      kind: 'session-limit',
    });
    expect(node.asked).toHaveLength(2);
  });

  it.each<[string, StartSession<string>, unknown]>([
    ['refuses, and returns its answer', async () => ({ refused: 'busy' }), { refused: 'busy' }],
    ['fails', () => Promise.reject(new Error('node gone')), new Error('node gone')],
  ])('a session started elsewhere gives its device back when the node %s', async (_name, start, expected) => {
    const result = await lab.creates
      .createSession(sampleAdmission(), {}, start)
      .catch((error: Error) => error);
    expect(result).toEqual(expected);
    expect(lab.devices.statusOf(DEVICE)).toBe('free');
    expect(store.rows.length).toBe(0);
  });

  it('a session that cannot be recorded is ended where it started, and its device is held until then (specification 5.4.5)', async () => {
    let over: () => void = () => undefined;
    node.gate = new Promise((resolve) => {
      over = resolve;
    });
    store.failing = new Error('disk full');
    const created = lab.creates.createSession(sampleAdmission(), {}, node.start);
    await settled();
    expect([node.calls, lab.devices.statusOf(DEVICE)]).toEqual([['end s1'], 'busy']);
    over();
    await expect(created).rejects.toThrow(SessionNotRecorded);
    expect([...node.running]).toEqual([]);
    expect(lab.devices.statusOf(DEVICE)).toBe('free');
    expect(lab.sessions.ownerOf('s1')).toBeUndefined();
  });

  it('the log says whose it is, or that nobody proved to be its owner (specification 5.4.4)', async () => {
    await lab.creates.createSession(sampleAdmission(), {}, sampleStart('a'));
    lab.recordEnd('a', OVER);
    await lab.creates.createSession(sampleAdmission({ lacksCredentials: true }), {}, sampleStart('b'));
    expect(log.entries.map(({ level, message, fields }) => [level, message, fields])).toEqual([
      ['info', 'Session created', { session: 'a', owner: 'none' }],
      ['warn', 'Session created without valid credentials', { session: 'b' }],
    ]);
  });
});

describe('its end (specification 9.2)', () => {
  beforeEach(async () => {
    await lab.creates.createSession(sampleAdmission(), {}, node.start);
  });

  it('asked of the lab: it ends there first, and is filed once, as what was asked', async () => {
    const ends: string[] = [];
    lab.onEnd(({ id }) => ends.push(id));
    await Promise.all([
      lab.endSession('s1', OVER),
      lab.endSession('s1', { category: null, reason: 'again' }),
    ]);
    await settled();
    await lab.endSession('s1', OVER);
    expect(node.calls).toEqual(['end s1']);
    expect(ends).toEqual(['s1']);
    expect(store.rows.find(({ id }) => id === 's1')).toMatchObject({
      status: 'ended',
      failureReason: OVER.reason,
    });
    expect(lab.devices.statusOf(DEVICE)).toBe('free');
  });

  it('a session whose end fails counts as ended, and the log says so (specification 9.2)', async () => {
    node.failing = new Error('stuck');
    await lab.endSession('s1', OVER);
    expect(store.rows.find(({ id }) => id === 's1')).toMatchObject({ status: 'ended' });
    expect(log.messages('warn')).toEqual(['Ending a session failed']);
  });

  it('reported by the place it runs on is filed as reported', async () => {
    node.running.get('s1')?.({ category: 'Timeout', reason: 'idle' });
    await settled();
    expect(store.rows.find(({ id }) => id === 's1')).toMatchObject({
      status: 'failed',
      failureCategory: 'Timeout',
    });
    expect(lab.devices.statusOf(DEVICE)).toBe('free');
    await lab.endSession('s1', OVER);
    expect(node.calls).toEqual([]);
  });

  it('a session whose end can no longer be reported counts as lost (specification 9.2)', async () => {
    lab.recordEnd('s1', OVER);
    const ended = Promise.reject(new Error('connection to node-1 lost'));
    await lab.creates.createSession(sampleAdmission(), {}, sampleStart('s2', { ended }));
    await settled();
    expect(store.rows.find(({ id }) => id === 's2')).toMatchObject({ failureCategory: 'Session Lost' });
  });

  it('a command answered in its place keeps it alive while it runs', async () => {
    await lab.drivers.keepAlive('s1');
    await lab.endSession('s1', OVER);
    await lab.drivers.keepAlive('s1');
    expect(node.calls).toEqual(['keep s1 alive', 'end s1']);
  });
});

describe('the listener of creates', () => {
  it('the listener of creates learns which phone worked and which the driver refused, before that phone is free (contract 17.2)', async () => {
    const told: unknown[] = [];
    lab.creates.onCreate((result, udid, owner) =>
      told.push([result, udid, owner, lab.devices.statusOf(udid)]),
    );
    const refuse = async (fault?: 'request') => ({ refused: 'no', fault });
    await lab.creates.createSession(sampleAdmission(), {}, () => refuse());
    await lab.creates.createSession(sampleAdmission(), {}, () => refuse('request'));
    await lab.creates.createSession(sampleAdmission(), {}, sampleStart('s1'));
    expect(told).toEqual([
      ['refused', DEVICE, null, 'busy'],
      ['worked', DEVICE, null, 'busy'],
    ]);
  });
});

describe('a create that the driver refused for a reason of the phone', () => {
  const phones = (count: number, now: () => number = () => 7) => {
    const two = new DeviceLab({
      sessions: store,
      commands: labStores().commands,
      deviceSettings: labStores().deviceSettings,
      sources: [samplePhones(count, 'virtual')],
      maxSessions: () => 1,
      retentionDays: { commands: () => 30, sessions: () => 365 },
      clock: { now },
      log,
    });
    two.start();
    return two;
  };
  /** Refuses each create but those on the phone `works`. */
  const starts = (seen: string[], fault?: 'phone', works?: string): StartSession<string> => {
    return async (start) => {
      const udid = start.device?.udid ?? '';
      const { alwaysMatch } = start.capabilities as { alwaysMatch: Record<string, unknown> };
      seen.push(`${udid} ${alwaysMatch['appium:udid']} ${alwaysMatch['appium:app']}`);
      return udid === works ? await sampleStart('s1')(start) : { refused: `no ${udid}`, fault };
    };
  };
  const wanted = () => ({ alwaysMatch: { 'appium:app': 'x' } as Record<string, unknown> });

  it('a create that the driver refused for a reason of the phone is tried on one other phone that fits, with the capabilities of the client (contract 17.2)', async () => {
    const two = phones(2);
    const seen: string[] = [];
    const outcome = await two.creates.createSession(
      sampleAdmission(),
      wanted(),
      starts(seen, 'phone', 'virtual-2'),
    );
    expect(outcome).toMatchObject({ session: { device: { udid: 'virtual-2' } } });
    expect(seen).toEqual(['virtual-1 virtual-1 x', 'virtual-2 virtual-2 x']);
    expect(two.devices.statusOf('virtual-1')).toBe('free');
  });

  it('a create that the driver refused for a reason of the phone is tried no third time, and all phones are free afterwards (contract 17.2)', async () => {
    const three = phones(3);
    const seen: string[] = [];
    const outcome = await three.creates.createSession(sampleAdmission(), wanted(), starts(seen, 'phone'));
    expect([outcome, seen.length]).toEqual([{ refused: 'no virtual-2' }, 2]);
    for (const { udid } of three.devices.list()) expect(three.devices.statusOf(udid)).toBe('free');
  });

  it('a create that the driver refused for a reason of the phone is not tried again without another phone that fits, late, or for another reason (contract 17.2)', async () => {
    let now = 0;
    const slow: StartSession<string> = async (start) => {
      now += 30_000;
      return await starts(seen, 'phone')(start);
    };
    let seen: string[] = [];
    const tries = async (
      lab: DeviceLab,
      start: StartSession<string>,
      caps: object = wanted(),
      gone = false,
    ) => {
      seen = [];
      const circumstances = gone ? { gone: AbortSignal.abort() } : {};
      await lab.creates.createSession(sampleAdmission(), caps, start, circumstances);
      return seen.length;
    };
    const failing: StartSession<string> = (start) => starts(seen, 'phone')(start);
    const pinned = { alwaysMatch: { 'appium:udid': 'virtual-1' } };
    expect(await tries(phones(1), failing)).toBe(1);
    expect(await tries(phones(2), failing, pinned)).toBe(1);
    expect(await tries(phones(2), (start) => starts(seen)(start))).toBe(1);
    expect(
      await tries(
        phones(2, () => now),
        slow,
      ),
    ).toBe(1);
    expect(await tries(phones(2), failing, wanted(), true)).toBe(1);
  });
});
