import { AsyncLocalStorage } from 'node:async_hooks';
import { EventEmitter } from 'node:events';
import { LOCAL_ORIGIN, Unavailable } from '@svc/auth-core';
import { silentLog } from '@svc/auth-core/testing';
import { type Admission, DeviceLab } from '@svc/device-lab';
import { samplePhones } from '@svc/device-lab/testing';
import { type LabStores, labStores } from '@svc/store-sqlite/testing';
import { type AppiumGate, type GateContext, type GateOrigin, RunningCommands } from '@svc/webdriver-gate';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { CreateResult, UmbrellaDriver } from '../src/appium-types.ts';
import { DriverCallbacks } from '../src/driver-callbacks.ts';
import { Lifecycle } from '../src/lifecycle.ts';

const ID = '0e984725-c51c-4bf4-9960-e1c80e27aba0';
const PHONE = 'virtual-1';
const admission = {
  caller: { account: { id: 'ana' }, credential: {} },
  lacksCredentials: false,
  teamId: null,
  maySee: () => true,
  healingTiers: null,
  startedBy: null,
  lease: null,
} as unknown as Admission;

/** Fake of Appium's own driver, with the sessions that Appium would have. */
class Umbrella implements UmbrellaDriver {
  readonly server = {};
  readonly deleted: string[] = [];
  readonly events = new EventEmitter();
  readonly sessions: UmbrellaDriver['sessions'] = {};

  begin(): CreateResult {
    const deleteSession = async () => {
      delete this.sessions[ID];
    };
    this.sessions[ID] = { deleteSession, eventEmitter: this.events, executeCommand: async () => null };
    return { value: [ID, {}] };
  }

  attachUnexpectedShutdownHandler(): void {}

  async deleteSession(id: string) {
    this.deleted.push(id);
    await this.sessions[id]?.deleteSession();
    return {};
  }
}

let store: LabStores['sessions'];
let log: ReturnType<typeof silentLog>;
let lab: DeviceLab;
let umbrella: Umbrella;
let lifecycle: Lifecycle;
let contexts: AsyncLocalStorage<GateContext>;
let maxSessions: () => number;
let reported: unknown[];

beforeEach(() => {
  maxSessions = () => 0;
  store = labStores().sessions;
  log = silentLog();
  lab = new DeviceLab({
    sessions: store,
    commands: labStores().commands,
    deviceSettings: labStores().deviceSettings,
    sources: [samplePhones(1, 'virtual')],
    maxSessions: () => maxSessions(),
    retentionDays: { commands: () => 30, sessions: () => 365 },
    clock: { now: () => 0 },
    log,
  });
  lab.start();
  umbrella = new Umbrella();
  contexts = new AsyncLocalStorage();
  const running = new RunningCommands();
  const callbacks = new DriverCallbacks({ addresses: { open: () => '' }, running, contexts });
  reported = [];
  const gate: Partial<AppiumGate> = {
    sessionCreated: (id, { ownerId, caller }) => reported.push([id, ownerId, caller?.account.id ?? null]),
    createFailed: ({ message }, caller) => reported.push([message, caller?.account.id ?? null]),
  };
  lifecycle = new Lifecycle({ gate: gate as AppiumGate, lab, contexts, callbacks });
});

const create = (next: () => Promise<unknown>, capabilities: object = {}) =>
  contexts.run({ kind: 'create', admission, from: LOCAL_ORIGIN as GateOrigin }, () =>
    lifecycle.create(next, umbrella, [capabilities]),
  );
const begun = async () => umbrella.begin();

describe('a create', () => {
  it('its outcome is reported to the gate once, without the words of the driver (contract 2, audit)', async () => {
    await create(async () => ({ error: new Error('secret of the capabilities') }));
    await expect(create(() => Promise.reject(new Error('secret')))).rejects.toThrow('secret');
    await create(begun);
    expect(reported).toEqual([
      ['the driver did not start the session', 'ana'],
      ['the session could not be created', 'ana'],
      [ID, 'ana', 'ana'],
    ]);
  });

  it('a create that the lab refuses is reported with the message that the client gets (contract 6.4)', async () => {
    maxSessions = () => 1;
    await create(begun);
    const refused = await create(begun).catch((error: Error) => error.message);
    expect(reported[1]).toEqual([refused, 'ana']);
    expect(refused).toContain('the limit of 1 session at once is reached');
  });

  it('a create has one set of capabilities: none is checked while another one runs (contract 6.4)', async () => {
    const next = vi.fn(begun);
    const sets = [{ alwaysMatch: {} }, undefined, { alwaysMatch: { 'appium:udid': 'another' } }];
    const created = contexts.run({ kind: 'create', admission, from: LOCAL_ORIGIN as GateOrigin }, () =>
      lifecycle.create(next, umbrella, sets),
    );
    await expect(created).rejects.toMatchObject({ error: 'invalid argument' });
    expect(next).not.toHaveBeenCalled();
    expect(lab.devices.statusOf(PHONE)).toBe('free');
  });

  it('a create runs on the phone that is held from before the driver starts (contract 6.4)', async () => {
    const capabilities = { alwaysMatch: {}, firstMatch: [{ 'appium:udid': PHONE }] };
    let seen: string | undefined;
    await create(async () => {
      seen = `${lab.devices.statusOf(PHONE)} ${JSON.stringify(capabilities)}`;
      return umbrella.begin();
    }, capabilities);
    expect(seen).toBe(`busy {"alwaysMatch":{"appium:udid":"${PHONE}"},"firstMatch":[{}]}`);
    expect(lab.sessions.ownerOf(ID)).toBe('ana');
  });

  it('a driver keeps its idle time without a limit (contract 14.7)', async () => {
    await create(begun);
    expect(umbrella.sessions[ID]).toBeDefined();
    expect(umbrella.sessions[ID]).not.toHaveProperty('newCommandTimeoutMs');
  });

  it('a create is answered 503 when the settings cannot be read: no driver starts and no phone is held (spec 5.4.5)', async () => {
    maxSessions = () => {
      throw new Unavailable('database: disk I/O error');
    };
    const next = vi.fn(begun);
    const refusal = { w3cStatus: 503, error: 'session not created' };
    await expect(create(next)).rejects.toMatchObject(refusal);
    await expect(create(next)).rejects.not.toThrow(/database/);
    expect(next).not.toHaveBeenCalled();
    expect(lab.devices.statusOf(PHONE)).toBe('free');
  });

  it('a create whose owner cannot be stored gets 503, its driver session ends, and no client learns the id (spec 5.4.5)', async () => {
    store.failing = new Error('disk full');
    let onDelete: string | undefined;
    const watched = async () => {
      const result = umbrella.begin();
      const inner = umbrella.sessions[ID] as UmbrellaDriver['sessions'][string];
      inner.deleteSession = async () => {
        onDelete = lab.devices.statusOf(PHONE);
      };
      return result;
    };
    const refusal = await create(watched).then(
      () => undefined,
      (error: Error) => error,
    );
    expect(refusal).toMatchObject({ error: 'session not created', w3cStatus: 503, stack: '' });
    expect(refusal?.message).not.toContain(ID);
    expect(refusal?.message).not.toContain('disk full');
    expect(umbrella.deleted).toEqual([ID]);
    expect(onDelete).toBe('busy');
    expect(lab.devices.statusOf(PHONE)).toBe('free');
    expect(lab.sessions.ownerOf(ID)).toBeUndefined();
    expect(log.messages('info')).toEqual([]);
    store.failing = null;
    await create(begun);
    expect(lab.sessions.ownerOf(ID)).toBe('ana');
  });

  it.each<[string, () => Promise<unknown>]>([
    ['throws', () => Promise.reject(new Error('no driver'))],
    ['answers an error', async () => ({ error: new Error('no driver') })],
    ['answers nothing', async () => ({})],
  ])('a create frees its phone when the driver %s (contract 6.4)', async (_name, next) => {
    const result = await create(next).catch((error: Error) => error);
    expect(lab.devices.statusOf(PHONE)).toBe('free');
    expect(store.rows.length).toBe(0);
    if (result instanceof Error) expect(result.message).toBe('no driver');
    await create(begun);
    expect(lab.sessions.ownerOf(ID)).toBe('ana');
  });
});

describe('an end (spec 9.2)', () => {
  const over = () => new Promise(setImmediate);

  it('a session whose driver reports its end without deleting it counts as lost (spec 9.2)', async () => {
    await create(begun);
    umbrella.events.emit('onUnexpectedShutdown', new Error('the phone is gone'));
    await over();
    expect(store.rows.find(({ id }) => id === ID)).toMatchObject({
      status: 'failed',
      failureCategory: 'Session Lost',
      failureReason: 'the phone is gone',
    });
    expect(lab.devices.statusOf(PHONE)).toBe('free');
  });

  it('a session whose driver reports its end without a cause counts as lost (spec 9.2)', async () => {
    await create(begun);
    umbrella.events.emit('onUnexpectedShutdown');
    await over();
    expect(store.rows.find(({ id }) => id === ID)).toMatchObject({ failureCategory: 'Session Lost' });
  });

  it('a session whose driver reports its end and then deletes it holds its phone until the deletion is done (spec 9.2)', async () => {
    let done: () => void = () => undefined;
    const deletion = new Promise<void>((resolve) => {
      done = resolve;
    });
    await create(async () => {
      const result = umbrella.begin();
      (umbrella.sessions[ID] as UmbrellaDriver['sessions'][string]).deleteSession = () => deletion;
      return result;
    });
    umbrella.events.emit('onUnexpectedShutdown', new Error('New Command Timeout of 1 seconds expired.'));
    const deleting = umbrella.sessions[ID]?.deleteSession();
    await over();
    expect(lab.devices.statusOf(PHONE)).toBe('busy');
    done();
    await deleting;
    expect(lab.devices.statusOf(PHONE)).toBe('free');
    expect(store.rows.find(({ id }) => id === ID)).toMatchObject({ failureCategory: 'Timeout' });
  });

  it('a session that ends before its create is answered counts as ended (spec 9.2)', async () => {
    await create(async () => {
      const result = umbrella.begin();
      delete umbrella.sessions[ID];
      return result;
    });
    expect(store.rows.find(({ id }) => id === ID)).toMatchObject({
      status: 'failed',
      failureCategory: 'Session Lost',
      failureReason: 'the session ended immediately',
    });
    expect(lab.sessions.ownerOf(ID)).toBeUndefined();
    expect(lab.devices.statusOf(PHONE)).toBe('free');
  });

  it('a session ends even if its driver fails to delete it (spec 9.2)', async () => {
    await create(async () => {
      const result = umbrella.begin();
      (umbrella.sessions[ID] as UmbrellaDriver['sessions'][string]).deleteSession = () =>
        Promise.reject(new Error('stuck'));
      return result;
    });
    await expect(umbrella.sessions[ID]?.deleteSession()).rejects.toThrow('stuck');
    expect(store.rows.find(({ id }) => id === ID)).toMatchObject({ status: 'ended' });
    expect(lab.devices.statusOf(PHONE)).toBe('free');
  });

  it('asked of the lab ends the driver and is filed by the lab, once (contract 2 /sessions)', async () => {
    const ended = vi.fn();
    lab.onEnd(ended);
    await create(begun);
    await lab.endSession(ID, { category: null, reason: 'ended by an administrator' });
    await over();
    expect(umbrella.deleted).toEqual([ID]);
    expect(ended).toHaveBeenCalledOnce();
    expect(store.rows.find(({ id }) => id === ID)).toMatchObject({
      status: 'ended',
      failureReason: 'ended by an administrator',
    });
    expect(lab.devices.statusOf(PHONE)).toBe('free');
  });

  it('asked of the lab while its client ends it waits for that one', async () => {
    let done: () => void = () => undefined;
    const deletion = new Promise<void>((resolve) => {
      done = resolve;
    });
    await create(async () => {
      const result = umbrella.begin();
      (umbrella.sessions[ID] as UmbrellaDriver['sessions'][string]).deleteSession = () => deletion;
      return result;
    });
    const byClient = umbrella.sessions[ID]?.deleteSession();
    const byLab = lab.endSession(ID, { category: null, reason: null });
    await over();
    expect(lab.devices.statusOf(PHONE)).toBe('busy');
    done();
    await Promise.all([byClient, byLab]);
    expect(umbrella.deleted).toEqual([]);
    expect(lab.devices.statusOf(PHONE)).toBe('free');
  });
});
