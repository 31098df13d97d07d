import type { Caller } from '@svc/auth-core';
import { silentLog } from '@svc/auth-core/testing';
import type { StreamKind } from '@svc/contract';
import { DeviceLab, InputFailed } from '@svc/device-lab';
import { sampleAdmission, samplePhones } from '@svc/device-lab/testing';
import { type LabStores, labStores } from '@svc/store-sqlite/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import type { LabNode } from '../src/hub/lab-node.ts';
import type { NodeReport } from '../src/hub/node-report.ts';
import { Nodes } from '../src/hub/nodes.ts';

const callerWith = (id: string) => ({ account: { id }, credential: { agent: null } }) as unknown as Caller;
const ANA = callerWith('ana');
const FAR = 'http://far:4723';

let now: number;
let driverSessions: LabStores['sessions'];
let store: LabStores['nodes'];
let settings: LabStores['deviceSettings'];
let calls: string[];
let log: ReturnType<typeof silentLog>;
let lab: DeviceLab;
let nodes: Nodes;

const clock = { now: () => now };

/** Creates lab and nodes again like a start of the hub. The stores are not emptied. */
function start(): void {
  lab = newLab();
  nodes = new Nodes({
    version: '1',
    store,
    lab,
    calls: {
      endSession: async (node, id, ownerId) =>
        void calls.push(`end ${id} on ${node.name}${ownerId === null ? '' : ` of ${ownerId}`}`),
      keepAlive: async (_node, id) => void calls.push(`keep ${id}`),
      input: async (node, { udid, sessionId }, { kind }) =>
        void calls.push(`${kind} to ${udid} in ${sessionId} on ${node.name}`),
      meet: (node) => void calls.push(`meet ${node.name}`),
      giveUp: (node) => void calls.push(`give up ${node.name}`),
    },
    clock,
    log,
  });
  lab.start();
}

function report(
  change: Partial<NodeReport> & { udids?: readonly string[]; streams?: readonly StreamKind[] } = {},
): NodeReport {
  const { udids = ['far-1'], streams = [], ...rest } = change;
  const devices = udids.map((udid) => ({ udid, name: udid, platform: 'Fake', osVersion: '1', streams }));
  return { url: FAR, version: '1', basePath: '', hubUrl: null, devices, sessions: null, ...rest };
}

let sequence = 0;
function telling(
  running: readonly string[],
  ended: NonNullable<NodeReport['sessions']>['ended'] = [],
  boot = 'b1',
): NodeReport {
  const told = running.map((id) => ({ id, udid: 'far-1' }));
  return report({ sessions: { boot, sequence: sequence++, running: told, ended } });
}

async function runOnFar(
  id: string,
  capabilities: Record<string, unknown> = {},
  admission = sampleAdmission(),
): Promise<void> {
  const requested = { alwaysMatch: { 'appium:udid': 'far-1' } };
  const reserved = lab.creates.reserve(sampleAdmission(), requested);
  const node = nodes.byName('far:4723');
  if (node === undefined) throw new Error('no node');
  const begin = async () => ({ started: nodes.started(node, id, capabilities, null), answer: null });
  await lab.creates.createSession(admission, requested, begin, { reserved });
}

const settled = () => new Promise(setImmediate);
const message = (work: () => unknown): string => {
  try {
    work();
    return 'ok';
  } catch (error) {
    return (error as Error).message;
  }
};

beforeEach(() => {
  now = 1_000_000;
  sequence = 0;
  calls = [];
  log = silentLog();
  driverSessions = labStores().sessions;
  store = labStores().nodes;
  settings = labStores().deviceSettings;
  start();
});

describe('its devices (contract 8.1)', () => {
  it('the phones of a node are there while it renews, away after 30 s without, and there again (contract 8.1)', () => {
    nodes.register(ANA, report());
    const away: object[] = [];
    lab.events.subscribe(({ type, payload }) => {
      if (type === 'node_offline') away.push(payload);
    });
    expect([lab.devices.byUdid('far-1')?.node, lab.devices.statusOf('far-1')]).toEqual(['far:4723', 'free']);
    now += 29_999;
    nodes.look();
    expect(lab.devices.statusOf('far-1')).toBe('free');
    now += 1;
    nodes.look();
    expect([lab.devices.statusOf('far-1'), calls]).toEqual(['away', ['give up far:4723']]);
    nodes.look();
    expect(away).toEqual([{ name: 'far:4723', version: '1', devices: 1, lastReportAt: null }]);
    nodes.register(ANA, report());
    expect(lab.devices.statusOf('far-1')).toBe('free');
  });

  it('the phones of a node are refused where another server has them, and named; the others are taken (contract 8.1)', () => {
    nodes.register(ANA, report());
    const second = report({ url: 'http://near:1', udids: ['far-1', 'own-1', 'near-1'] });
    expect(message(() => nodes.register(ANA, second))).toBe('another server has the phone far-1, own-1');
    expect(lab.devices.byUdid('far-1')?.node).toBe('far:4723');
    expect(lab.devices.statusOf('near-1')).toBe('free');
    now += 30_000;
    nodes.register(ANA, { ...second, devices: [] });
    nodes.look();
    expect(message(() => nodes.register(ANA, report({ url: 'http://near:1' })))).toBe('ok');
    expect(lab.devices.byUdid('far-1')?.node).toBe('near:1');
  });

  it('the phones of a node stay where a session runs on them, though their server is away (contract 8.1)', async () => {
    nodes.register(ANA, report());
    await runOnFar('s1');
    now += 30_000;
    nodes.look();
    expect(message(() => nodes.register(ANA, report({ url: 'http://near:1' })))).toContain('far-1');
  });
});

describe('its TLS key (contract 8, identity)', () => {
  const SAFE = 'https://safe:4723';
  const node = () => nodes.byName('safe:4723') as LabNode;

  it("a node's TLS key is looked at once it registers, kept over a restart, and no other one is taken, until it is removed (contract 8, identity)", () => {
    nodes.register(ANA, report({ url: SAFE }));
    expect(calls).toEqual(['meet safe:4723']);
    expect([nodes.hasKey(node(), 'A'), nodes.hasKey(node(), 'A')]).toEqual([true, true]);
    start();
    nodes.register(ANA, report({ url: SAFE }));
    expect(calls).toEqual(['meet safe:4723']);
    expect([nodes.hasKey(node(), 'B'), nodes.hasKey(node(), 'B'), nodes.hasKey(node(), 'A')]).toEqual([
      false,
      false,
      true,
    ]);
    const told = log.entries.filter(({ level }) => level === 'error').map(({ message: text }) => text);
    expect(told).toEqual([expect.stringMatching(/another TLS key .* DELETE \/svc\/api\/nodes\/safe:4723/)]);
    const old = node();
    nodes.remove(ANA, 'safe:4723');
    expect(calls.at(-1)).toBe('give up safe:4723');
    expect(nodes.hasKey(old, 'B')).toBe(false);
    nodes.register(ANA, report({ url: SAFE }));
    expect(nodes.hasKey(node(), 'B')).toBe(true);
  });

  it("a node's TLS key is not given up for an address without TLS (contract 8, identity)", () => {
    nodes.register(ANA, report({ url: SAFE }));
    nodes.hasKey(node(), 'A');
    expect(message(() => nodes.register(ANA, report({ url: 'http://safe:4723' })))).toContain('with TLS');
  });
});

describe('what it shows of its devices (contract 2 /control, 8)', () => {
  it('the hub shows of a node what the node said last, of its own devices alone', () => {
    nodes.register(ANA, report({ streams: ['frames', 'lines'] }));
    const device = lab.devices.byUdid('far-1');
    if (device === undefined) throw new Error('no device');
    expect([nodes.streaming(device, 'frames')?.name, nodes.streaming(device, 'video')]).toEqual([
      'far:4723',
      undefined,
    ]);
    nodes.register(ANA, report({ url: 'http://near:1', udids: ['near-1'], streams: ['video'] }));
    expect(nodes.streaming(device, 'video')).toBeUndefined();
    nodes.register(ANA, report({ streams: [] }));
    expect(nodes.streaming(device, 'frames')).toBeUndefined();
    expect(nodes.streaming({ ...device, node: null }, 'frames')).toBeUndefined();
  });

  it('an input goes to the node of the session, and names both', async () => {
    nodes.register(ANA, report());
    await runOnFar('s1');
    await lab.drivers.input('s1', { kind: 'text', text: 'x' });
    expect(calls).toEqual(['text to far-1 in s1 on far:4723']);
    lab.recordEnd('s1', { category: null, reason: null });
    await expect(lab.drivers.input('s1', { kind: 'text', text: 'x' })).rejects.toThrow(InputFailed);
  });
});

describe('its registration (contract 8.1)', () => {
  it('the registration of a node belongs to the account that made it, also after a restart, until it is removed (contract 8.1)', () => {
    nodes.register(ANA, report());
    start();
    const bob = callerWith('bob');
    expect(message(() => nodes.register(bob, report()))).toContain('another account');
    nodes.remove(ANA, 'far:4723');
    expect(message(() => nodes.register(bob, report()))).toBe('ok');
    expect(store.rows.find(({ name }) => name === 'far:4723')?.ownerId).toBe(bob.account.id);
  });

  it('the registration of a node is bounded in number, and not removed while sessions run (contract 8.1)', async () => {
    nodes.register(ANA, report());
    await runOnFar('s1');
    expect(message(() => nodes.remove(ANA, 'far:4723'))).toContain('sessions run');
    for (let port = 1; port < 256; port++)
      nodes.register(ANA, report({ url: `http://x:${port}`, udids: [] }));
    expect(message(() => nodes.register(ANA, report({ url: 'http://x:999', udids: [] })))).toContain('256');
  });
});

describe('a session on it (contract 8.4)', () => {
  beforeEach(() => {
    nodes.register(ANA, telling([]));
  });

  it('a session on a node ends as the node tells it (contract 8.4)', async () => {
    await runOnFar('s1');
    nodes.register(ANA, telling([], [{ id: 's1', category: 'Timeout', reason: 'New Command Timeout' }]));
    await settled();
    expect(driverSessions.rows.find(({ id }) => id === 's1')).toMatchObject({
      failureCategory: 'Timeout',
      endedAt: now,
    });
    expect([lab.devices.statusOf('far-1'), nodes.sessions.get('s1')]).toEqual(['free', undefined]);
  });

  it('a session on a node is not lost by a report put together before it was there, but by the one after (contract 8.4)', async () => {
    now += 10;
    await runOnFar('s1');
    now += 10;
    nodes.register(ANA, telling([]));
    await settled();
    expect(lab.sessions.ownerOf('s1')).toBe(null);
    now += 10;
    nodes.register(ANA, telling([], [], 'b2'));
    await settled();
    expect(driverSessions.rows.find(({ id }) => id === 's1')).toMatchObject({
      failureCategory: 'Session Lost',
    });
  });

  it('a session on a node is not touched by a report that comes late (contract 8.4)', async () => {
    const late = telling([]);
    await runOnFar('s1');
    nodes.register(ANA, telling(['s1']));
    now += 10;
    nodes.register(ANA, late);
    nodes.register(ANA, late);
    await settled();
    expect(lab.sessions.ownerOf('s1')).toBe(null);
  });

  it('a session that the hub no longer has is ended at its node, whether the hub filed it as over or never recorded it (contract 8.4)', async () => {
    await runOnFar('s1', {}, sampleAdmission({ caller: ANA }));
    lab.recordEnd('s1', { category: null, reason: null });
    nodes.register(ANA, telling(['s1', 'unknown']));
    expect(calls).toEqual([`end s1 on far:4723 of ${ANA.account.id}`, 'end unknown on far:4723']);
    const starting = lab.creates.reserve(sampleAdmission(), { alwaysMatch: { 'appium:udid': 'far-1' } });
    nodes.register(ANA, telling(['just starting']));
    expect(calls).toHaveLength(2);
    starting.cancel();
  });

  it.each([
    ['60 s', {}, 60_000],
    ['its own time-out', { newCommandTimeout: 300 }, 300_000],
    ['the 30 s of the node, when its own is shorter', { newCommandTimeout: 1 }, 30_000],
    ['an hour without one', { newCommandTimeout: 0 }, 3_600_000],
  ])(
    'a session on a node is lost when the node was not heard of for %s (contract 8.4)',
    async (_name, capabilities, ms) => {
      await runOnFar('s1', capabilities);
      now += ms - 1;
      nodes.look();
      await settled();
      expect(lab.sessions.ownerOf('s1')).toBe(null);
      now += 1;
      nodes.look();
      await settled();
      expect(driverSessions.rows.find(({ id }) => id === 's1')).toMatchObject({
        failureCategory: 'Session Lost',
        failureReason: 'node far:4723 is gone',
      });
    },
  );

  it('a session on a node goes on over a restart of the hub, on its phone, and is reached at once (contract 8.4)', async () => {
    await runOnFar('s1');
    start();
    expect(nodes.sessions.get('s1')?.node.url).toBe(FAR);
    expect(lab.sessions.ownerOf('s1')).toBe(null);
    nodes.register(ANA, telling(['s1']));
    expect(lab.devices.statusOf('far-1')).toBe('busy');
    await lab.endSession('s1', { category: null, reason: null });
    expect([calls, lab.devices.statusOf('far-1')]).toEqual([['end s1 on far:4723'], 'free']);
  });

  it('a session of a node that is no longer known is lost at the start (contract 8.4)', async () => {
    await runOnFar('s1');
    store.remove('far:4723');
    start();
    expect(driverSessions.rows.find(({ id }) => id === 's1')).toMatchObject({
      failureCategory: 'Session Lost',
    });
  });
});

describe('the choice of a phone (contract 8.2)', () => {
  it('the choice of a phone goes to the server with the smallest part of its phones in use; without nodes in mind, to this one (contract 8.2)', () => {
    nodes.register(ANA, report({ udids: ['far-1', 'far-2', 'far-3'] }));
    const picked = Array.from({ length: 4 }, () => lab.creates.reserve(sampleAdmission(), {}).device?.udid);
    expect(picked).toEqual(['own-1', 'far-1', 'far-2', 'far-3']);
    expect(message(() => lab.creates.reserve(sampleAdmission(), {}))).toContain('busy');
  });

  it('a create that did not come through the gate never gets a phone of a node', async () => {
    nodes.register(ANA, report());
    const asked = { alwaysMatch: { 'appium:udid': 'far-1' } };
    const refuse = async () => ({ refused: null });
    await expect(lab.creates.createSession(sampleAdmission(), asked, refuse)).rejects.toThrow(
      'no phone of this lab fits',
    );
  });
});

function newLab(): DeviceLab {
  return new DeviceLab({
    sessions: driverSessions,
    commands: labStores().commands,
    deviceSettings: settings,
    sources: [samplePhones(1, 'own')],
    maxSessions: () => 0,
    retentionDays: { commands: () => 30, sessions: () => 365 },
    clock,
    log,
  });
}

it('a node of another version is named, once of each (specification 9.2 from 2.16 to 2.17)', () => {
  const of = (version: string) => nodes.register(ANA, report({ version }));
  for (const version of ['1', '1', '2', '2', '2', '3', '1', '2']) of(version);
  expect(log.messages('warn')).toEqual(
    ['2', '3', '2'].map(
      (version) =>
        `Node ${nodes.list(ANA)[0]?.node.name} runs svc ${version}, this hub 1: upgrade hub and nodes together`,
    ),
  );
});

describe('the lines that the hub logged about a node (contract 8.1)', () => {
  const lines = (name = 'far:4723') => nodes.logs.list(ANA, name);

  it('the lines that the hub logged about a node are kept with time and level, newest first, and are removed with the node (contract 8.1)', () => {
    nodes.register(ANA, report());
    now += 30_000;
    nodes.look();
    nodes.logs.refused('http://unknown:4723', 'it is not known');
    expect(lines()).toEqual([
      {
        at: 1_030_000,
        level: 'warn',
        message: 'Node far:4723 has not reported for 30 s: its phones are away',
      },
      { at: 1_000_000, level: 'info', message: 'Node far:4723 is present' },
    ]);
    expect(log.messages()).toEqual(
      lines()
        .map(({ message }) => message)
        .reverse(),
    );
    expect(message(() => lines('unknown:4723'))).toBe('unknown node');
    nodes.remove(ANA, 'far:4723');
    expect(message(lines)).toBe('unknown node');
    nodes.register(ANA, report());
    expect(lines()).toHaveLength(1);
  });

  it('the lines that the hub logged about a node have a reason of a refusal once, until the node comes back (contract 8.1)', () => {
    nodes.register(ANA, report());
    for (let each = 0; each < 3; each++) nodes.logs.refused(FAR, 'taken');
    now += 30_000;
    nodes.look();
    nodes.register(ANA, report());
    nodes.logs.refused(FAR, 'taken');
    expect(lines().filter(({ message }) => message.includes('taken'))).toHaveLength(2);
  });

  it('the lines that the hub logged about a node are the last 100, of 500 characters at most, without control characters (contract 8.1)', () => {
    nodes.register(ANA, report());
    for (let each = 0; each < 150; each++) nodes.logs.refused(FAR, `${each}\n\u001b[31m${'😀'.repeat(600)}`);
    expect(lines()).toHaveLength(100);
    expect(lines().map(({ message }) => message.split(': ')[1]?.match(/^\d+/)?.[0])).toEqual(
      Array.from({ length: 100 }, (_, index) => `${149 - index}`),
    );
    for (const { message } of lines()) {
      expect([...message]).toHaveLength(500);
      expect(message).not.toMatch(/\p{Cc}|\p{Cs}/u);
    }
  });
});

describe('a phone that its node has put out of service', () => {
  const out = { reason: 'it does not answer', isByLab: true, since: 5, until: null };
  const offered = (outOfService: typeof out | null | undefined) =>
    report({
      devices: [
        { udid: 'far-1', name: 'far-1', platform: 'Fake', osVersion: '1', streams: [], outOfService },
      ],
    });
  const taken = () => lab.creates.reserve(sampleAdmission(), { alwaysMatch: { 'appium:udid': 'far-1' } });

  it('a phone that its node has put out of service is busy for the hub from its first report on, and free after it is back (contract 17.1)', () => {
    const statuses: string[] = [];
    lab.devices.onChange((_, { udid }) => void statuses.push(lab.devices.availabilityOf(udid)));
    nodes.register(ANA, offered(out));
    expect(statuses[0]).toBe('busy');
    expect([nodes.care.on('far-1'), lab.devices.statusOf('far-1')]).toEqual([out, 'free']);
    expect(taken).toThrow('busy');
    nodes.register(ANA, offered(undefined));
    expect(nodes.care.on('far-1')).toBeNull();
    taken().cancel();
  });

  it('a phone that its node has put out of service has live events only for changes that the hub has seen, and not for those of an Admin (contract 17.2)', () => {
    const seen: string[] = [];
    lab.events.subscribe(({ type, payload }) => {
      if (type === 'device_healthy' || type === 'device_unhealthy')
        seen.push(`${type} ${payload.udid}: ${payload.reason}`);
    });
    for (const each of [out, null, out, out, null, { ...out, isByLab: false }, null])
      nodes.register(ANA, offered(each));
    expect(seen).toEqual([
      'device_healthy far-1: its node has put it back',
      'device_unhealthy far-1: it does not answer',
      'device_healthy far-1: its node has put it back',
    ]);
  });

  it('a phone that its node has put out of service is forgotten when the node goes away or is removed (contract 17.1)', () => {
    nodes.register(ANA, offered(out));
    now += 60_000;
    nodes.look();
    expect([nodes.care.on('far-1'), lab.devices.isBlocked('far-1')]).toEqual([null, false]);
    nodes.register(ANA, offered(out));
    expect(lab.devices.isBlocked('far-1')).toBe(true);
    nodes.remove(ANA, 'far:4723');
    expect([nodes.care.on('far-1'), lab.devices.isBlocked('far-1')]).toEqual([null, false]);
  });
});
