import type { IncomingMessage } from 'node:http';
import type { Caller } from '@svc/auth-core';
import { fakeClock, silentLog } from '@svc/auth-core/testing';
import { type Admission, DeviceLab } from '@svc/device-lab';
import { sampleAdmission, samplePhones } from '@svc/device-lab/testing';
import {
  type LabNode,
  type NodeCalls,
  type NodeClient,
  NodeGone,
  Nodes,
  type RemoteCreate,
} from '@svc/nodes';
import { NotConnected, type RemoteAnswer } from '@svc/outbound';
import { type LabStores, labStores } from '@svc/store-sqlite/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import { RemoteCreates } from '../src/nodes/remote-creates.ts';

const ANA = { account: { id: 'ana' }, credential: { agent: null } } as unknown as Caller;
const OWNED = sampleAdmission({ caller: ANA });

let store: LabStores['sessions'];
let lab: DeviceLab;
let nodes: Nodes;
let asked: (RemoteCreate & { readonly node: string })[];
let ended: string[];
/** Response or error of each node, by the name of the node. */
let answers: Map<string, RemoteAnswer | Error>;
let log: ReturnType<typeof silentLog>;
let creates: RemoteCreates;
/** On a server with other plugins. */
let besideOthers: RemoteCreates;

beforeEach(() => {
  store = labStores().sessions;
  log = silentLog();
  asked = [];
  ended = [];
  answers = new Map();
  const clock = fakeClock(0);
  lab = new DeviceLab({
    sessions: store,
    commands: labStores().commands,
    deviceSettings: labStores().deviceSettings,
    sources: [samplePhones(1, 'own')],
    maxSessions: () => 0,
    retentionDays: { commands: () => 30, sessions: () => 365 },
    clock,
    log,
  });
  lab.start();
  const calls = {
    endSession: async (_node: LabNode, id: string) => void ended.push(id),
    giveUp: () => undefined,
    meet: () => undefined,
  };
  nodes = new Nodes({
    version: '1',
    store: labStores().nodes,
    lab,
    calls: calls as unknown as NodeCalls,
    clock,
    log,
  });
  const client = {
    create: async (node: LabNode, create: RemoteCreate) => {
      asked.push({ ...create, node: node.name });
      const answer = answers.get(node.name) ?? expect.unreachable();
      if (answer instanceof Error) throw new NodeGone(node, answer);
      return structuredClone(answer);
    },
    endSession: calls.endSession,
  } as unknown as NodeClient;
  const options = { nodes, client, lab, basePath: '/base', isHttps: () => true };
  creates = new RemoteCreates({ ...options, mayBeRewritten: false });
  besideOthers = new RemoteCreates({ ...options, mayBeRewritten: true });
});

function addNode(name: string, udids: readonly string[], answer: RemoteAnswer | Error): void {
  const devices = udids.map((udid) => ({
    udid,
    name: udid,
    platform: 'Fake',
    osVersion: '1',
    streams: [],
  }));
  const report = { url: `http://${name}`, version: '1', basePath: '', hubUrl: null, devices, sessions: null };
  nodes.register(ANA, report);
  answers.set(name, answer);
}

const created = (sessionId: string, capabilities: object = {}): RemoteAnswer => ({
  status: 200,
  body: { value: { sessionId, capabilities } },
});

const req = { headers: { host: 'hub', 'x-request-id': 'r1' } } as unknown as IncomingMessage;
const place = (udid?: string, admission: Admission = OWNED) => {
  const alwaysMatch = udid === undefined ? {} : { 'appium:udid': udid };
  return creates.place(req, { capabilities: { alwaysMatch } }, admission);
};
const statusOf = (udid: string) => lab.devices.statusOf(udid);

describe('a create of a hub (contract 8.2)', () => {
  it('a create of a server without nodes is reserved by the gate, which refuses it if all phones are busy (contract 13)', async () => {
    expect(await place()).toMatchObject({ device: { udid: 'own-1' } });
    expect(statusOf('own-1')).toBe('busy');
    await expect(place()).rejects.toMatchObject({ message: 'every phone that fits is busy' });
  });

  it('a create for which no phone fits is left to the hook if another plugin may rewrite it', async () => {
    const unknown = { capabilities: { alwaysMatch: { 'appium:udid': 'profile-7' } } };
    await expect(creates.place(req, unknown, OWNED)).rejects.toMatchObject({ error: 'session not created' });
    expect(await besideOthers.place(req, unknown, OWNED)).toBeNull();
    expect(await besideOthers.place(req, { capabilities: {} }, OWNED)).toMatchObject({
      device: { udid: 'own-1' },
    });
  });

  it('a create of a hub for its own phone is reserved, and runs on no node (contract 8.2)', async () => {
    addNode('n1:1', ['far-1'], created('a1'));
    const placed = await place('own-1');
    expect(placed).toMatchObject({ device: { udid: 'own-1' } });
    expect([asked, statusOf('own-1')]).toEqual([[], 'busy']);
  });

  it('runs on the node of its phone, is recorded with its owner, and is answered as the node answers', async () => {
    addNode('n1:1', ['far-1'], created('a1', { webSocketUrl: 'ws://n1:1/bidi/a1', platformName: 'Fake' }));
    const placed = await place('far-1');
    expect(asked).toMatchObject([
      {
        node: 'n1:1',
        udid: 'far-1',
        ownerId: 'ana',
        headers: { 'x-request-id': 'r1' },
        body: { capabilities: { alwaysMatch: { 'appium:udid': 'far-1' } } },
      },
    ]);
    const capabilities = { webSocketUrl: 'wss://hub/base/bidi/a1', platformName: 'Fake' };
    const answer = JSON.stringify({ value: { sessionId: 'a1', capabilities } });
    expect(placed).toEqual({ id: 'a1', ownerId: 'ana', answer });
    expect(store.rows.find(({ id }) => id === 'a1')).toMatchObject({
      ownerId: 'ana',
      node: 'n1:1',
      device: { udid: 'far-1' },
    });
    expect([nodes.sessions.get('a1')?.node.name, statusOf('far-1')]).toEqual(['n1:1', 'busy']);
  });

  it('a create that the node refuses is answered with the error of the node, and its phone is free (contract 8.2)', async () => {
    const value = { error: 'invalid argument', message: 'no such app', stacktrace: 'secret' };
    addNode('n1:1', ['far-1'], { status: 400, body: { value } });
    const refusal = { w3cStatus: 400, error: 'invalid argument', message: 'no such app' };
    await expect(place('far-1')).rejects.toMatchObject(refusal);
    expect([statusOf('far-1'), store.rows.length]).toEqual(['free', 0]);
  });

  it('a create of a hub is not sent to another node when the first one may have started it (contract 8.4)', async () => {
    addNode('n1:1', ['far-1'], new Error('socket hang up'));
    addNode('n2:1', ['far-2'], created('a2'));
    await expect(place('far-1')).rejects.toMatchObject({
      w3cStatus: 503,
      message: 'node n1:1 did not answer',
    });
    expect(asked).toHaveLength(1);
    expect(statusOf('far-1')).toBe('free');
  });

  it('a create of a hub takes another phone if its node cannot be reached, and otherwise says so (contract 8.4)', async () => {
    lab.creates.reserve(sampleAdmission(), { alwaysMatch: { 'appium:udid': 'own-1' } });
    addNode('n1:1', ['far-1'], new NotConnected('refused'));
    addNode('n2:1', ['far-2'], new NotConnected('refused'));
    await expect(place('far-1')).rejects.toMatchObject({ message: 'node n1:1 did not answer' });
    expect(statusOf('far-1')).toBe('away');
    answers.set('n2:1', created('a2'));
    expect(await place()).toMatchObject({ id: 'a2' });
    expect(statusOf('far-2')).toBe('busy');
  });

  it('a create whose id another session has is refused, so that no command changes its node (contract 8.2)', async () => {
    addNode('n1:1', ['far-1'], created('a1'));
    addNode('n2:1', ['far-2'], created('a1'));
    await place('far-1');
    await expect(place('far-2')).rejects.toMatchObject({ w3cStatus: 503 });
    expect(nodes.sessions.get('a1')?.node.name).toBe('n1:1');
    expect(statusOf('far-2')).toBe('free');
  });

  it('a create of a hub is ended at its node if the records cannot be read (specification 5.4.5)', async () => {
    addNode('n1:1', ['far-1'], created('a1'));
    store.failing = new Error('disk full');
    await expect(place('far-1')).rejects.toMatchObject({ w3cStatus: 503 });
    expect([ended, statusOf('far-1')]).toEqual([['a1'], 'free']);
  });

  it('a create that cannot be recorded is ended at its node (specification 5.4.5)', async () => {
    addNode('n1:1', ['far-1'], created('a1'));
    store.insert = () => {
      throw new Error('disk full');
    };
    const refusal = await place('far-1').catch((error: Error) => error);
    expect(refusal).toMatchObject({ w3cStatus: 503, error: 'session not created' });
    expect(String(refusal)).not.toContain('disk full');
    expect([ended, statusOf('far-1')]).toEqual([['a1'], 'free']);
  });
});
