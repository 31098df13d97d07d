import type { DriverSession, LogChunk } from '@svc/device-lab';
import { describe, expect, it } from 'vitest';
import { eachTestItsPlace } from './place.ts';

const place = eachTestItsPlace();
const chunk = (sessionId: string, seq: number, lastAt = seq): LogChunk => ({
  sessionId,
  seq,
  rows: 10,
  bytes: 2,
  lastAt,
  entries: '[]',
});
const session = (id: string, startedAt: number, ownerId: string | null = 'ana'): DriverSession => ({
  id,
  name: null,
  status: 'running',
  ownerId,
  device: { udid: 'virtual-1', name: 'Virtual phone 1', platform: 'Fake' },
  node: null,
  startedAt,
  endedAt: null,
  failureCategory: null,
  failureReason: null,
  tags: ['a'],
  healingTiers: [1, 2],
  capabilities: { platformName: 'Fake' },
});

describe('driver sessions', () => {
  it('come back as they were, and with what changed', async () => {
    const { driverSessions } = await place().open();
    driverSessions.insert(session('s1', 1));
    expect(driverSessions.byId('s1')).toEqual(session('s1', 1));
    driverSessions.update('s1', { status: 'failed', endedAt: 9, failureCategory: 'Timeout', tags: [] });
    expect(driverSessions.byId('s1')).toEqual({
      ...session('s1', 1),
      ...{ status: 'failed', endedAt: 9, failureCategory: 'Timeout', tags: [] },
    });
    expect(driverSessions.byId('s2')).toBeUndefined();
  });

  it('newest first, of one owner or everyone', async () => {
    const { driverSessions } = await place().open();
    for (const [id, at, owner] of [
      ['s1', 1, 'ana'],
      ['s2', 2, null],
      ['s3', 3, 'ana'],
    ] as const) {
      driverSessions.insert(session(id, at, owner));
    }
    const ids = (filter: { ownerId?: string; limit: number }) =>
      driverSessions.list(filter).map(({ id }) => id);
    expect(ids({ limit: 10 })).toEqual(['s3', 's2', 's1']);
    expect(ids({ limit: 2 })).toEqual(['s3', 's2']);
    expect(ids({ ownerId: 'ana', limit: 10 })).toEqual(['s3', 's1']);
    driverSessions.update('s3', { endedAt: 5 });
    expect(driverSessions.running().map(({ id }) => id)).toEqual(['s1', 's2']);
  });
});

describe('the command log', () => {
  it('keeps chunks in order, trims a session’s oldest and forgets by age', async () => {
    const store = await place().open();
    const { commandLog } = store;
    commandLog.write([chunk('a', 1), chunk('b', 1), chunk('a', 11)], []);
    expect(commandLog.heads('a')).toEqual([
      { seq: 1, rows: 10, bytes: 2 },
      { seq: 11, rows: 10, bytes: 2 },
    ]);
    commandLog.write([chunk('a', 21)], [{ sessionId: 'a', seq: 11 }]);
    expect(commandLog.chunks('a')).toEqual([chunk('a', 11), chunk('a', 21)]);
    expect(commandLog.chunks('b')).toEqual([chunk('b', 1)]);
    commandLog.removeBefore(21);
    expect(commandLog.chunks('a')).toEqual([chunk('a', 21)]);
    expect(commandLog.chunks('b')).toEqual([]);
  });

  it('writes all of a batch or nothing', async () => {
    const { commandLog } = await place().open();
    expect(() => commandLog.write([chunk('a', 1), chunk('a', 1)], [])).toThrow();
    expect(commandLog.chunks('a')).toEqual([]);
  });
});

it('settings of phones are kept one each, across a restart', async () => {
  const { deviceSettings, close } = await place().open();
  const setting = { udid: 'u', name: 'n', platform: 'p', osVersion: '1', teamId: null, tags: ['x', 'y'] };
  deviceSettings.save(setting);
  deviceSettings.save({ ...setting, teamId: 't' });
  close();
  expect((await place().open()).deviceSettings.all()).toEqual([{ ...setting, teamId: 't' }]);
});
