import { describe, expect, it } from 'vitest';
import type { DriverSession } from '../../driver-session.ts';
import { type OpenLabStores, opened } from './opened.ts';

const FULL: DriverSession = {
  id: 's1',
  name: 'checkout',
  status: 'failed',
  ownerId: 'ana',
  device: { udid: 'virtual-1', name: 'Virtual phone 1', platform: 'Fake', osVersion: '1.0' },
  node: 'node-1',
  startedAt: 1_700_000_000_001,
  endedAt: 1_700_000_000_002,
  failureCategory: 'Timeout',
  failureReason: 'idle “for” long',
  tags: ['a', 'b'],
  healingTiers: [1, 2],
  capabilities: { platformName: 'Fake', nested: { list: [1, null, 'x'] } },
};
const BARE: DriverSession = {
  ...FULL,
  name: null,
  status: 'running',
  ownerId: null,
  device: null,
  node: null,
  endedAt: null,
  failureCategory: null,
  failureReason: null,
  tags: [],
  healingTiers: null,
  capabilities: {},
};

export function driverSessionSuite(open: OpenLabStores): void {
  describe('driver sessions', () => {
    const stores = opened(open);
    const insert = (id: string, startedAt: number, change: Partial<DriverSession> = {}) =>
      stores().driverSessions.insert({ ...BARE, id, startedAt, ...change });

    it('(contract 2 /sessions) come back as they were, full or bare', () => {
      const { driverSessions } = stores();
      driverSessions.insert(FULL);
      driverSessions.insert({ ...BARE, id: 's2' });
      expect(driverSessions.byId('s1')).toEqual(FULL);
      expect(driverSessions.byId('s2')).toEqual({ ...BARE, id: 's2' });
      expect(driverSessions.byId('S1')).toBeUndefined();
    });

    it('an id is one session only', () => {
      const { driverSessions } = stores();
      driverSessions.insert(FULL);
      expect(() => driverSessions.insert({ ...BARE, ownerId: 'bob' })).toThrow();
      expect(driverSessions.byId('s1')).toEqual(FULL);
    });

    it('change in what is named and nothing else; an unknown one changes nothing', () => {
      const { driverSessions } = stores();
      driverSessions.insert(FULL);
      insert('s2', 2);
      const change = { status: 'passed', endedAt: 9, failureCategory: null, tags: [] } as const;
      driverSessions.update('s1', change);
      driverSessions.update('s3', change);
      expect(driverSessions.byId('s1')).toEqual({ ...FULL, ...change });
      expect(driverSessions.byId('s2')).toEqual({ ...BARE, id: 's2', startedAt: 2 });
      expect(driverSessions.byId('s3')).toBeUndefined();
      driverSessions.update('s2', { name: 'n', failureReason: 'r', failureCategory: 'Session Lost' });
      expect(driverSessions.byId('s2')).toMatchObject({ name: 'n', failureReason: 'r' });
    });

    it('(contract 2 /sessions) are listed newest first, of one owner or everyone, so many at most', () => {
      insert('s1', 1, { ownerId: 'ana' });
      insert('s3', 3, { ownerId: 'ana' });
      insert('s2', 2);
      const ids = (filter: { ownerId?: string; limit: number }) =>
        stores()
          .driverSessions.list(filter)
          .map(({ id }) => id);
      expect(ids({ limit: 10 })).toEqual(['s3', 's2', 's1']);
      expect(ids({ limit: 2 })).toEqual(['s3', 's2']);
      expect(ids({ ownerId: 'ana', limit: 10 })).toEqual(['s3', 's1']);
      expect(ids({ ownerId: 'bob', limit: 10 })).toEqual([]);
    });

    it('run until they have an end (specification 9.1.4)', () => {
      for (const id of ['s1', 's2']) insert(id, 1);
      stores().driverSessions.update('s1', { status: 'passed' });
      stores().driverSessions.update('s2', { endedAt: 5 });
      expect(
        stores()
          .driverSessions.running()
          .map(({ id }) => id),
      ).toEqual(['s1']);
    });

    it('(specification 6, contract 5) are removed with their commands by the age of their end, never while they run', () => {
      const { driverSessions, commandLog } = stores();
      insert('runs', 1);
      for (const [id, endedAt] of Object.entries({ s1: 5, s2: 3, s3: 4, s4: 9 })) insert(id, 2, { endedAt });
      const chunk = { seq: 1, rows: 1, bytes: 2, lastAt: 1, entries: '[]' };
      commandLog.write(
        ['runs', 's2', 's4'].map((sessionId) => ({ ...chunk, sessionId })),
        [],
      );
      const left = () =>
        driverSessions
          .list({ limit: 10 })
          .map(({ id }) => id)
          .sort();
      expect(driverSessions.removeEndedBefore(9, 2)).toBe(2);
      expect(left()).toEqual(['runs', 's1', 's4']);
      expect(driverSessions.removeEndedBefore(9, 2)).toBe(1);
      expect(driverSessions.removeEndedBefore(9, 2)).toBe(0);
      expect(left()).toEqual(['runs', 's4']);
      expect(['runs', 's2', 's4'].map((id) => commandLog.heads(id).length)).toEqual([1, 0, 1]);
    });
  });
}
