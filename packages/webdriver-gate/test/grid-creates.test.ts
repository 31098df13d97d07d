import { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { Caller } from '@svc/auth-core';
import { fakeClock, silentLog } from '@svc/auth-core/testing';
import { DeviceLab } from '@svc/device-lab';
import { sampleAdmission } from '@svc/device-lab/testing';
import { NotConnected, type RemoteAnswer } from '@svc/outbound';
import { type LabStores, labStores } from '@svc/store-sqlite/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import type { GridClient } from '../src/grid/grid-client.ts';
import { GridCreates } from '../src/grid/grid-creates.ts';
import { GridSessions } from '../src/grid/grid-sessions.ts';

const OWNED = sampleAdmission({
  caller: { account: { id: 'ana' }, credential: { agent: null } } as unknown as Caller,
});

let store: LabStores['sessions'];
let maxSessions: number;
let asked: unknown[];
let ended: string[];
let answer: () => RemoteAnswer;
let socket: EventEmitter & { destroyed?: boolean };
let log: ReturnType<typeof silentLog>;
let lab: DeviceLab;
let createsOf: (ids?: { sign(id: string, owner: string | null): string }) => GridCreates;

beforeEach(() => {
  store = labStores().sessions;
  maxSessions = 0;
  asked = [];
  ended = [];
  socket = new EventEmitter();
  log = silentLog();
  const clock = fakeClock(0);
  lab = new DeviceLab({
    sessions: store,
    commands: labStores().commands,
    deviceSettings: labStores().deviceSettings,
    sources: [],
    maxSessions: () => maxSessions,
    retentionDays: { commands: () => 30, sessions: () => 365 },
    clock,
    log,
  });
  lab.start();
  const client = {
    name: 'grid:4444',
    address: { basePath: '/wd/hub' },
    create: async (body: object, headers: object) => {
      asked.push({ body, headers });
      return answer();
    },
    endSession: async (id: string) => void ended.push(id),
  } as unknown as GridClient;
  const sessions = new GridSessions({ client, lab, clock, log });
  createsOf = (ids) =>
    new GridCreates({ client, sessions, lab, basePath: '', isHttps: () => false, log, ids: ids ?? null });
});

const created = (sessionId: string, capabilities: object = {}) => ({
  status: 200,
  body: { value: { sessionId, capabilities, extra: 1 } },
});
const place = (creates = createsOf()) => {
  const req = { socket, headers: { host: 'here', authorization: 'Bearer a' } } as unknown as IncomingMessage;
  return creates.place(req, { capabilities: { alwaysMatch: {} }, other: 1 }, OWNED);
};

describe('a create in a grid (contract 8.2)', () => {
  it('a create in a grid gets the body without credentials, and is recorded and answered with addresses of this server (contract 8.2)', async () => {
    answer = () => created('a1', { 'se:cdp': 'ws://n/session/a1/se/cdp', 'se:vnc': 'ws://n:5900/a1' });
    const capabilities = { 'se:cdp': 'ws://here/session/a1/se/cdp' };
    expect(await place()).toEqual({
      id: 'a1',
      ownerId: 'ana',
      answer: JSON.stringify({ value: { sessionId: 'a1', capabilities, extra: 1 } }),
    });
    expect(asked).toEqual([{ body: { capabilities: { alwaysMatch: {} }, other: 1 }, headers: {} }]);
    expect(store.rows.find(({ id }) => id === 'a1')).toMatchObject({
      ownerId: 'ana',
      node: 'grid:4444',
      capabilities,
    });
    expect(socket.listenerCount('close')).toBe(0);
  });

  it('a create in a grid gives a signed id where further entrances must know the owner (contract 8.2)', async () => {
    answer = () => created('a1');
    const placed = await place(createsOf({ sign: (id, owner) => `${id}.${owner}` }));
    expect(placed).toMatchObject({ id: 'a1.ana', answer: expect.stringContaining('"sessionId":"a1.ana"') });
    expect(store.rows.map(({ id }) => id)).toEqual(['a1.ana']);
  });

  it('a create in a grid is ended at the grid if its client has left, or if its id cannot be signed (contract 8.2)', async () => {
    answer = () => {
      socket.destroyed = true;
      return created('a1');
    };
    await expect(place()).rejects.toMatchObject({ message: 'the client disconnected' });
    socket.destroyed = false;
    answer = () => created('a2');
    const unable = () => {
      throw new Error('no key');
    };
    await expect(place(createsOf({ sign: unable }))).rejects.toMatchObject({ w3cStatus: 503 });
    expect([ended, store.rows.length]).toEqual([['a1', 'a2'], 0]);
  });

  it('a create in a grid is ended at the grid if the records cannot be read, or name its id already (specification 5.4.5)', async () => {
    answer = () => created('a1');
    const creates = createsOf();
    await place(creates);
    lab.recordEnd('a1', { category: null, reason: null });
    await expect(place(creates)).rejects.toMatchObject({ w3cStatus: 503 });
    store.failing = new Error('disk full');
    answer = () => created('a2');
    await expect(place()).rejects.toMatchObject({ w3cStatus: 503 });
    expect(ended).toEqual(['a1', 'a2']);
  });

  it('a create whose id is in use is refused, and the session with that id continues (contract 8.2)', async () => {
    answer = () => created('a1');
    const creates = createsOf();
    await place(creates);
    await expect(place(creates)).rejects.toMatchObject({ w3cStatus: 503 });
    expect(ended).toEqual([]);
    expect(store.rows.find(({ id }) => id === 'a1')).toMatchObject({ status: 'running' });
  });

  it('a create in a grid is answered with the error of the grid, or 503 if there is none (contract 8.2)', async () => {
    answer = () => ({ status: 500, body: { value: { error: 'session not created', message: 'no slot' } } });
    await expect(place()).rejects.toMatchObject({ w3cStatus: 500, message: 'no slot' });
    answer = () => {
      throw new NotConnected('refused');
    };
    await expect(place()).rejects.toMatchObject({ w3cStatus: 503, message: 'the grid cannot be reached' });
    answer = () => {
      throw new Error('socket hang up');
    };
    await expect(place()).rejects.toMatchObject({ message: 'the response of the grid contained no session' });
    expect([store.rows.length, lab.sessions.runningCount]).toEqual([0, 0]);
  });

  it('a create in a grid counts towards the limit of sessions, and a refused one does not stay counted (specification 8.2)', async () => {
    maxSessions = 1;
    answer = () => ({ status: 500, body: null });
    const creates = createsOf();
    await expect(place(creates)).rejects.toMatchObject({ w3cStatus: 500 });
    answer = () => created('a1');
    await place(creates);
    await expect(place(creates)).rejects.toMatchObject({
      message: expect.stringContaining('limit of 1 session at once'),
    });
    expect(asked).toHaveLength(2);
  });
});
