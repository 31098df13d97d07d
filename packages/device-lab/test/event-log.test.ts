import { type Caller, scopeSet } from '@svc/auth-core';
import { type LabStores, labStores } from '@svc/store-sqlite/testing';
import { beforeEach, expect, it } from 'vitest';
import { EVENT_LOG_BOUNDS, EventLog } from '../src/events/event-log.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const callerOf = (role: string, scopes: Parameters<typeof scopeSet>[0]) =>
  ({
    account: { id: 'a', role },
    scopes: scopeSet(scopes),
    credential: { kind: 'key' },
  }) as unknown as Caller;
const ADMIN = callerOf('Admin', ['read', 'sessions', 'devices', 'admin']);

let store: LabStores['eventLog'];
let told: string[];
let days: number;
let log: EventLog;
const add = (id: string, payload: Record<string, unknown> = {}, at = 1) =>
  log.add({ id, at, type: 'device_new', payload });

beforeEach(() => {
  store = labStores().eventLog;
  told = [];
  days = 30;
  log = new EventLog({
    store,
    clock: { now: () => 100 * DAY_MS },
    log: { debug() {}, info() {}, warn: (text) => told.push(text), error: (text) => told.push(text) },
    retentionDays: () => days,
  });
});

it('the event log is read in pages, newest first, with what waits to be written (specification 6)', () => {
  for (const id of ['a', 'b', 'c']) add(id, { name: id });
  const { items, next } = log.page(ADMIN, { limit: 2 });
  expect([...items]).toEqual([
    { id: 'c', at: 1, type: 'device_new', payload: { name: 'c' } },
    { id: 'b', at: 1, type: 'device_new', payload: { name: 'b' } },
  ]);
  expect(next).toBe('b');
  const last = log.page(ADMIN, { before: 'b', limit: 2 });
  expect([[...last.items].map(({ id }) => id), last.next]).toEqual([['a'], null]);
  expect(() => log.page(ADMIN, { before: 'x' })).toThrow(expect.objectContaining({ code: 'bad_request' }));
});

it('the event log is read by Admins with the scope, whatever the route says', () => {
  for (const caller of [callerOf('Member', ['read']), callerOf('Admin', ['read', 'devices'])]) {
    expect(() => log.page(caller, {})).toThrow(expect.objectContaining({ status: 403 }));
  }
});

it('the event log keeps as many days as are set at the moment (contract 5)', () => {
  add('old', {}, 69 * DAY_MS);
  add('new', {}, 71 * DAY_MS);
  log.flush();
  days = 32;
  expect([log.removeOld(), store.rows.length]).toEqual([false, 2]);
  days = 30;
  expect([log.removeOld(), store.rows.map(({ id }) => id)]).toEqual([false, ['new']]);
});

it('a payload that is too long loses its long fields', () => {
  add('a', { id: 's1', tags: 'x'.repeat(5_000), name: 'short' });
  expect([...log.page(ADMIN, {}).items][0]?.payload).toEqual({
    id: 's1',
    tags: '(5002 characters not kept)',
    name: 'short',
  });
});

it('events that cannot be written wait up to a limit, and then the log says how many are lost', () => {
  store.failing = new Error('disk full');
  for (let count = 0; count < EVENT_LOG_BOUNDS.waiting + 3; count++) add(`e${count}`);
  log.flush();
  expect(told).toEqual(['The event log could not be written and is tried again']);
  store.failing = null;
  log.flush();
  expect(told.at(-1)).toBe('3 events were too many for the event log');
  expect(store.rows).toHaveLength(EVENT_LOG_BOUNDS.waiting);
});
