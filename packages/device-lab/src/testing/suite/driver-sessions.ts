import { describe, expect, it } from 'vitest';
import type { DriverSession, DriverSessionFilter } from '../../driver-session.ts';
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
  startedBy: 'owner/repo@main, run 812',
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
  startedBy: null,
  capabilities: {},
};

export function driverSessionSuite(open: OpenLabStores): void {
  describe('driver sessions', () => {
    const stores = opened(open);
    const insert = (id: string, startedAt: number, change: Partial<DriverSession> = {}) =>
      stores().driverSessions.insert({ ...BARE, id, startedAt, ...change });

    it('driver sessions come back as they were, full or bare (contract 2 /sessions)', () => {
      const { driverSessions } = stores();
      driverSessions.insert(FULL);
      driverSessions.insert({ ...BARE, id: 's2' });
      expect(driverSessions.byId('s1')).toEqual(FULL);
      expect(driverSessions.byId('s2')).toEqual({ ...BARE, id: 's2' });
      expect(driverSessions.byId('S1')).toBeUndefined();
    });

    it('(contract 12) keep their agent, and add up the time of its ended sessions after a moment', () => {
      const agent = { id: 'a', until: 9_000, minutes: 3 };
      insert('s1', 100, { agent, endedAt: 300 });
      insert('s2', 250, { agent: { ...agent, minutes: null }, endedAt: 260 });
      insert('s3', 260, { agent });
      insert('s4', 10, { agent, endedAt: 200 });
      insert('s5', 100, { agent: { ...agent, id: 'b' }, endedAt: 300 });
      const { driverSessions } = stores();
      expect(driverSessions.byId('s2')?.agent).toEqual({ ...agent, minutes: null });
      expect(driverSessions.byId('s3')?.agent).toEqual(agent);
      expect([0, 200, 255, 300].map((since) => driverSessions.msOfAgent('a', since))).toEqual([
        400, 110, 50, 0,
      ]);
      expect(driverSessions.msOfAgent('c', 0)).toBe(0);
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

    it('driver sessions are listed newest first, of one owner or everyone, up to a limit (contract 2 /sessions)', () => {
      insert('s1', 1, { ownerId: 'ana' });
      insert('s3', 3, { ownerId: 'ana' });
      insert('s2', 2);
      const ids = (filter: { ownerId?: string; limit: number }) =>
        [...stores().driverSessions.read(filter)].flatMap((session) => session?.id ?? []);
      expect(ids({ limit: 10 })).toEqual(['s3', 's2', 's1']);
      expect(ids({ limit: 2 })).toEqual(['s3', 's2']);
      expect(ids({ ownerId: 'ana', limit: 10 })).toEqual(['s3', 's1']);
      expect(ids({ ownerId: 'bob', limit: 10 })).toEqual([]);
    });

    describe('(contract 2 /sessions) are found', () => {
      const ids = (filter: Omit<DriverSessionFilter, 'limit'>, limit = 10) =>
        [...stores().driverSessions.read({ ...filter, limit })].flatMap((session) => session?.id ?? []);

      it('driver sessions are found by status, whole name and owner, and by all of them together (contract 2 /sessions)', () => {
        insert('s1', 1, { ownerId: 'ana', name: 'pay', status: 'passed' });
        insert('s2', 2, { ownerId: 'ana', name: 'pay', status: 'failed' });
        insert('s3', 3, { ownerId: 'bob', name: 'pay', status: 'passed' });
        insert('s4', 4, { ownerId: 'ana', name: 'Pay', status: 'passed' });
        expect(ids({ status: 'passed' })).toEqual(['s4', 's3', 's1']);
        expect(ids({ name: 'pay' })).toEqual(['s3', 's2', 's1']);
        expect(ids({ name: 'pay', status: 'passed' })).toEqual(['s3', 's1']);
        expect(ids({ name: 'pay', status: 'passed', ownerId: 'ana' })).toEqual(['s1']);
        expect(ids({ name: 'pay', before: 's2', status: 'passed' }, 1)).toEqual(['s1']);
        expect(ids({ name: 'pa' })).toEqual([]);
      });

      it('driver sessions are found by phone, tag, failure category and start, and by all of them together (contract 2 /sessions)', () => {
        const device = { udid: 'virtual-1', name: 'Phone', platform: 'Fake', osVersion: null };
        insert('s1', 1, { device, tags: ['smoke', 'quick'], failureCategory: 'Timeout' });
        insert('s2', 2, { device, tags: ['smoke test'] });
        insert('s3', 3, { tags: ['smoke'], failureCategory: 'Driver Crash' });
        expect(ids({ udid: 'virtual-1' })).toEqual(['s2', 's1']);
        expect(ids({ udid: 'virtual' })).toEqual([]);
        expect(ids({ tag: 'smoke' })).toEqual(['s3', 's1']);
        expect(ids({ category: 'Timeout' })).toEqual(['s1']);
        expect(ids({ from: 2 })).toEqual(['s3', 's2']);
        expect(ids({ to: 2 })).toEqual(['s1']);
        expect(ids({ from: 2, to: 3 })).toEqual(['s2']);
        expect(ids({ from: 3, to: 1 })).toEqual([]);
        expect(ids({ to: 3, before: 's3' })).toEqual(['s2', 's1']);
        expect(
          ids({ tag: 'smoke', udid: 'virtual-1', category: 'Timeout', from: 1, to: 2, search: 's' }),
        ).toEqual(['s1']);
        expect(ids({ tag: 'smoke' }, 1)).toEqual(['s3']);
      });

      it('page by page, also those that started in one millisecond; behind an unknown one is nothing', () => {
        for (const id of ['s1', 's2', 's3', 's4']) insert(id, 7, { ownerId: id === 's3' ? 'bob' : 'ana' });
        insert('s0', 1, { ownerId: 'ana' });
        const paged: string[] = [];
        for (let page = ids({}, 2); page.length > 0; page = ids({ before: page.at(-1) }, 2))
          paged.push(...page);
        expect(paged).toEqual(['s4', 's3', 's2', 's1', 's0']);
        expect(ids({ before: 's4', ownerId: 'ana' })).toEqual(['s2', 's1', 's0']);
        for (const before of ['nobody', 's3']) expect(ids({ before, ownerId: 'ana' })).toEqual([]);
      });

      it('driver sessions are listed oldest first in the reverse order, page by page and with every filter (contract 2 /sessions)', () => {
        const device = { udid: 'virtual-1', name: 'Phone', platform: 'Fake', osVersion: null };
        for (const id of ['s1', 's2', 's3', 's4']) insert(id, 7, { ownerId: id === 's3' ? 'bob' : 'ana' });
        insert('s0', 1, { ownerId: 'ana', name: 'pay', device });
        insert('s5', 9, { ownerId: 'ana', name: 'pay', tags: ['smoke'] });
        for (const filter of [
          {},
          { ownerId: 'ana' },
          { name: 'pay' },
          { from: 2 },
          { to: 9 },
          { from: 7, to: 8 },
        ]) {
          const oldest = (page: object, limit?: number) =>
            ids({ ...filter, ...page, order: 'oldest' }, limit);
          const paged: string[] = [];
          for (let page = oldest({}, 2); page.length > 0; page = oldest({ before: page.at(-1) }, 2))
            paged.push(...page);
          expect(paged).toEqual(ids(filter).toReversed());
          expect(oldest({})).toEqual(paged);
        }
        expect(ids({ order: 'oldest', tag: 'smoke' })).toEqual(['s5']);
        expect(ids({ order: 'oldest', search: 'virtual' })).toEqual(['s0']);
        expect(ids({ order: 'oldest', from: 9, before: 's0' })).toEqual(['s5']);
        expect(ids({ order: 'oldest', from: 3, to: 1 })).toEqual([]);
        for (const before of ['nobody', 's3'])
          expect(ids({ order: 'oldest', before, ownerId: 'ana' })).toEqual([]);
      });

      it('ended driver sessions are listed by their duration, page by page and with every filter (contract 2 /sessions)', () => {
        const device = { udid: 'virtual-1', name: 'Phone', platform: 'Fake', osVersion: null };
        const took = { s1: 30, s2: 10, s3: 30, s4: 20, s5: 0 };
        for (const [place, [id, ms]] of Object.entries(took).entries()) {
          insert(id, place + 1, {
            ownerId: id === 's4' ? 'bob' : 'ana',
            endedAt: place + 1 + ms,
            status: id === 's2' ? 'failed' : 'passed',
            ...(id === 's3' ? { name: 'pay', device, tags: ['smoke'] } : {}),
          });
        }
        insert('runs', 9, { ownerId: 'ana' });
        const whole = ['s3', 's1', 's4', 's2', 's5'];
        for (const order of ['longest', 'shortest'] as const) {
          const inOrder = (expected: string[]) => (order === 'longest' ? expected : expected.toReversed());
          const paged: string[] = [];
          for (let page = ids({ order }, 2); page.length > 0; page = ids({ order, before: page.at(-1) }, 2))
            paged.push(...page);
          expect(paged).toEqual(inOrder(whole));
          expect(ids({ order, ownerId: 'ana' })).toEqual(inOrder(['s3', 's1', 's2', 's5']));
          expect(ids({ order, status: 'passed' })).toEqual(inOrder(['s3', 's1', 's4', 's5']));
          expect(ids({ order, from: 2, to: 5 })).toEqual(inOrder(['s3', 's4', 's2']));
          for (const one of [{ name: 'pay' }, { tag: 'smoke' }, { udid: 'virtual-1' }, { search: 'PAY' }])
            expect(ids({ order, ...one })).toEqual(['s3']);
          for (const before of ['nobody', 'runs', 's4'])
            expect(ids({ order, before, ownerId: 'ana' })).toEqual([]);
        }
      });

      it('driver sessions are found by a literal part of name, id, tag, phone, node or reason, with ASCII in either case (contract 2 /sessions)', () => {
        const device = { udid: 'virtual-1', name: 'Ana’s phone', platform: 'Fake', osVersion: null };
        insert('s1', 1, { name: 'Checkout 100%', tags: ['smoke', 'say "hi"'] });
        insert('s2', 2, { device, node: 'rack-2', failureReason: 'Timed out' });
        insert('s3', 3, { name: 'checkout_ÄÖ' });
        const found: Record<string, string[]> = {
          CHECKOUT: ['s3', 's1'],
          '100%': ['s1'],
          '%': ['s1'],
          _: ['s3'],
          Ö: ['s3'],
          ö: [],
          SMOKE: ['s1'],
          'say "hi"': ['s1'],
          '","': [],
          'al-1': ['s2'],
          'ana’s': ['s2'],
          Fake: [],
          rack: ['s2'],
          'timed out': ['s2'],
          S2: ['s2'],
          "' or 1=1 --": [],
        };
        expect(Object.fromEntries(Object.keys(found).map((search) => [search, ids({ search })]))).toEqual(
          found,
        );
        expect(ids({ search: 'checkout' }, 1)).toEqual(['s3']);
        expect(ids({ search: 'checkout', before: 's3' })).toEqual(['s1']);
      });
    });

    it('driver sessions run until they have an end (specification 9.1.4)', () => {
      for (const id of ['s1', 's2']) insert(id, 1);
      stores().driverSessions.update('s1', { status: 'passed' });
      stores().driverSessions.update('s2', { endedAt: 5 });
      expect(
        stores()
          .driverSessions.running()
          .map(({ id }) => id),
      ).toEqual(['s1']);
    });

    it('driver sessions are removed with their commands by the age of their end, never while they run (specification 6, contract 5)', () => {
      const { driverSessions, commandLog } = stores();
      insert('runs', 1);
      for (const [id, endedAt] of Object.entries({ s1: 5, s2: 3, s3: 4, s4: 9 })) insert(id, 2, { endedAt });
      const chunk = { seq: 1, rows: 1, bytes: 2, lastAt: 1, entries: '[]' };
      commandLog.write(
        ['runs', 's2', 's4'].map((sessionId) => ({ ...chunk, sessionId })),
        [],
      );
      const left = () =>
        [...driverSessions.read({ limit: 10 })].flatMap((session) => session?.id ?? []).sort();
      expect(driverSessions.removeEndedBefore(9, 2)).toBe(2);
      expect(left()).toEqual(['runs', 's1', 's4']);
      expect(driverSessions.removeEndedBefore(9, 2)).toBe(1);
      expect(driverSessions.removeEndedBefore(9, 2)).toBe(0);
      expect(left()).toEqual(['runs', 's4']);
      expect(['runs', 's2', 's4'].map((id) => commandLog.heads(id).length)).toEqual([1, 0, 1]);
    });
  });
}
