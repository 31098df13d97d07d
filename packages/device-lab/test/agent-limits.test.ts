import { labStores } from '@svc/store-sqlite/testing';
import { describe, expect, it } from 'vitest';
import type { DriverSession } from '../src/driver-session.ts';
import { AgentLimits } from '../src/leases/agent-limits.ts';

const MINUTE = 60_000;
const NOON = Date.UTC(2030, 0, 1, 12);
const MIDNIGHT = Date.UTC(2030, 0, 2);

function lab() {
  const store = labStores().sessions;
  const at = { now: NOON };
  const clock = { now: () => at.now };
  const limits = new AgentLimits(store, clock);
  const session = (id: string, change: Partial<DriverSession> = {}, agentId = 'a') => {
    const agent = { id: agentId, until: NOON * 2, minutes: 10 };
    store.insert({
      ...{ id, name: null, status: 'running', ownerId: null, device: null, node: null, startedAt: at.now },
      ...{ endedAt: null, failureCategory: null, failureReason: null, tags: [], healingTiers: null },
      ...{ capabilities: {}, startedBy: null, agent, ...change },
    });
  };
  const end = (id: string) => {
    store.update(id, { endedAt: at.now });
    limits.sessionEnded(store.byId(id) as DriverSession);
  };
  const refusalOf = (sessions: number | null, minutes: number | null, id = 'a') => {
    try {
      limits.check({ id, sessions, minutes });
      return null;
    } catch (error) {
      return (error as Error).message;
    }
  };
  return { store, at, clock, limits, session, end, refusalOf };
}

it('the time of leases counts after a restart, and only on its day (contract 12)', () => {
  const { store, at, clock } = lab();
  const times = labStores().leases;
  const agent = { id: 'a', until: NOON * 2, minutes: 10 };
  const lease = { id: 'l', udid: 'p', ownerId: 'o', hash: 'h', createdAt: NOON, expiresAt: MIDNIGHT };
  const open = () => new AgentLimits(store, clock, () => [{ ...lease, agent } as never], times);
  const before = open();
  for (const seconds of [9, 10, 15]) {
    at.now = NOON + seconds * 1_000;
    before.countLeases();
  }
  // The last 5 s were not stored yet.
  expect([before.usedMs('a'), open().usedMs('a')]).toEqual([15_000, 10_000]);
  at.now = MIDNIGHT + 1_000;
  expect(open().usedMs('a')).toBe(0);
});

it('a lease that ends between two counts costs the minutes that it took, counted once (contract 4, 12)', () => {
  const { store, at, clock } = lab();
  const agent = { id: 'a', until: NOON * 2, minutes: 10 };
  const leases: unknown[] = [];
  const limits = new AgentLimits(store, clock, () => leases as never, labStores().leases);
  const leased = (ms: number) => {
    const lease = {
      id: 'l',
      udid: 'p',
      ownerId: 'o',
      hash: 'h',
      createdAt: at.now,
      expiresAt: MIDNIGHT,
      agent,
    };
    leases.push(lease);
    at.now += ms;
    limits.leaseEnds(lease as never);
    leases.pop();
  };
  for (let round = 0; round < 60; round += 1) {
    at.now += 100;
    limits.countLeases();
    leased(900);
  }
  expect(limits.usedMs('a')).toBe(54_000);
  at.now = MIDNIGHT + 1_000;
  leased(500);
  expect(limits.usedMs('a')).toBe(500);
});

describe('limits of an agent (contract 12)', () => {
  it('limits of an agent count running and starting sessions of this agent only (contract 12)', () => {
    const { limits, session, end, refusalOf } = lab();
    session('other', {}, 'b');
    expect(refusalOf(1, null)).toBeNull();
    const settled = limits.begin({ id: 'a', sessions: 1, minutes: null });
    expect(refusalOf(1, null)).toBe('limit_reached: the token of this agent allows 1 session at once');
    expect(refusalOf(2, null)).toBeNull();
    session('s1');
    settled();
    expect(refusalOf(1, null)).toContain('limit_reached');
    end('s1');
    expect(refusalOf(1, null)).toBeNull();
  });

  it('limits of an agent add up the minutes of all sessions, running and ended (contract 12)', () => {
    const { at, limits, session, end, refusalOf } = lab();
    const agent = { id: 'a', until: NOON * 2, minutes: 10 };
    session('s1');
    session('s2');
    at.now += 4 * MINUTE;
    end('s1');
    expect(limits.usedMs('a')).toBe(8 * MINUTE);
    expect([refusalOf(null, 10), limits.excessOf(agent)]).toEqual([null, null]);
    at.now += 2 * MINUTE;
    const used =
      'limit_reached: the token of this agent allows 10 minutes of sessions a day, and they are used up';
    expect([refusalOf(null, 10), limits.excessOf(agent)]).toEqual([used, used]);
    expect(limits.excessOf({ ...agent, minutes: null })).toBeNull();
    expect(refusalOf(null, 10, 'b')).toBeNull();
  });

  it('limits of an agent are not reset by a restart (contract 12)', () => {
    const { store, at, clock, session } = lab();
    session('s1');
    at.now += 10 * MINUTE;
    store.update('s1', { endedAt: at.now });
    const restarted = new AgentLimits(store, clock);
    expect(() => restarted.check({ id: 'a', sessions: null, minutes: 10 })).toThrow('limit_reached');
  });

  it('limits of an agent count anew from midnight (UTC), also for a session that goes on (contract 12)', () => {
    const { at, limits, session, end } = lab();
    at.now = MIDNIGHT - 9 * MINUTE;
    session('s1');
    session('s2');
    at.now = MIDNIGHT - MINUTE;
    end('s2');
    expect(limits.usedMs('a')).toBe(16 * MINUTE);
    at.now = MIDNIGHT + 2 * MINUTE;
    expect(limits.usedMs('a')).toBe(2 * MINUTE);
    end('s1');
    at.now += MINUTE;
    expect(limits.usedMs('a')).toBe(2 * MINUTE);
  });
});
