import type { LiveEvent } from '@svc/contract';
import { describe, expect, it } from 'vitest';
import { holderOf, stateOf } from '../src/pages/devices/device-holder.ts';
import { withEvent } from '../src/pages/devices/follow-devices.ts';
import type { Device, Lease, SeenDevices } from '../src/pages/devices/seen-devices.ts';

const ANA = { id: 'ana', email: 'ana@lab' };
const BOB = { id: 'bob', email: 'bob@lab' };
const RED = { id: 'red', name: 'Red' };
const UNKNOWN = { model: null, manufacturer: null, apiLevel: null, kind: null, avd: null, idleSince: null };
const FACTS = {
  name: 'One',
  platform: 'Fake',
  osVersion: '1',
  node: null,
  tags: [],
  note: null,
  outOfService: null,
  ...UNKNOWN,
  health: null,
  failureRate: null,
};
const device = (udid: string, change: Partial<Device> = {}): Device => ({
  ...{ udid, ...FACTS, team: null, status: 'free' },
  ...change,
});
const session = { id: 's1', name: null, owner: ANA, startedAt: '2030-01-01T00:00:00.000Z' };
const expiresAt = '2030-01-01T12:00:00.000Z';
const lease: Lease = { leaseId: 'l1', udid: 'p1', owner: ANA, expiresAt };
const seen: SeenDevices = { devices: [device('p1'), device('p2', { team: RED })], leases: [] };

/** Returns what the user Bob sees after an event. */
const after = (
  before: SeenDevices,
  type: string,
  payload: Record<string, unknown>,
  viewer = { id: 'bob', isOverrideAdmin: false },
) => withEvent(before, { id: 'e', type, at: '', payload } as unknown as LiveEvent, viewer);
const changed = (udid: string, change: Record<string, unknown> = {}) => ({
  ...{ udid, ...FACTS, teamId: null, status: 'free' },
  ...change,
});

describe('the phones after a live event', () => {
  it('the phones after a live event have the status, facts and tags that it tells (contract 2, /events)', () => {
    for (const type of ['device_changed', 'device_online', 'device_offline']) {
      const busy = after(seen, type, changed('p1', { status: 'busy', tags: ['x'], name: 'New' }));
      expect(busy?.devices).toEqual([
        device('p1', { status: 'busy', tags: ['x'], name: 'New' }),
        seen.devices[1],
      ]);
    }
    const other = after(seen, 'device_changed', changed('p2', { teamId: 'red', status: 'away' }));
    expect(other?.devices[1]).toEqual(device('p2', { team: RED, status: 'away' }));
  });

  it('the phones after a live event show at once that a phone is out of service, and its note (contract 17.1)', () => {
    const out = { reason: 'broken', by: ANA, since: expiresAt, until: null };
    const after1 = after(seen, 'device_changed', changed('p1', { note: 'cracked', outOfService: out }));
    expect(after1?.devices[0]).toEqual(device('p1', { note: 'cracked', outOfService: out }));
    expect(after1 && after(after1, 'device_changed', changed('p1'))?.devices[0]).toEqual(device('p1'));
  });

  it('the phones after a live event lose a session that is over, and keep one of a phone that is away', () => {
    const running = { ...seen, devices: [device('p1', { status: 'busy', session })] };
    const free = after(running, 'device_changed', changed('p1'));
    expect(free?.devices).toEqual([device('p1')]);
    const away = after(running, 'device_offline', changed('p1', { status: 'away' }));
    expect(away?.devices[0]?.session).toEqual(session);
    expect(after(running, 'session_ended', { id: 's1' })?.devices).toEqual([
      device('p1', { status: 'busy' }),
    ]);
    expect(after(running, 'session_changed', { id: 's1', name: 'smoke' })?.devices[0]?.session).toEqual({
      ...session,
      name: 'smoke',
    });
    expect(after(running, 'session_changed', { id: 'other', name: 'x' })).toEqual(running);
  });

  it('the phones after a live event are loaded again when the event does not say enough', () => {
    expect(after(seen, 'device_changed', changed('p3'))).toBeNull();
    expect(after(seen, 'device_changed', changed('p2'))).toBeNull();
    for (const type of ['device_new', 'session_started', 'account_changed', 'history_lost'])
      expect(after(seen, type, {})).toBeNull();
  });

  it('the phones after a live event are without one that is hidden now', () => {
    expect(after(seen, 'device_hidden', { udid: 'p2' })?.devices).toEqual([device('p1')]);
  });

  it('the phones after a live event show a lease to everybody, and let its holder and override admins change it (contract 2, /leases)', () => {
    const shown = [device('p1', { lease: { owner: ANA, expiresAt } }), seen.devices[1]];
    const others = after(seen, 'lease_created', lease as never) as SeenDevices;
    expect(others).toEqual({ devices: shown, leases: [] });
    const own = after(seen, 'lease_created', lease as never, { id: 'ana', isOverrideAdmin: false });
    expect(own).toEqual({ devices: shown, leases: [lease] });
    expect(
      after(seen, 'lease_created', lease as never, { id: 'bob', isOverrideAdmin: true })?.leases,
    ).toEqual([lease]);
    const longer = { ...lease, expiresAt: '2030-01-01T13:00:00.000Z' };
    expect(
      after(own as SeenDevices, 'lease_changed', longer as never, { id: 'ana', isOverrideAdmin: false }),
    ).toEqual({
      devices: [device('p1', { lease: { owner: ANA, expiresAt: longer.expiresAt } }), seen.devices[1]],
      leases: [longer],
    });
    expect(after(own as SeenDevices, 'lease_ended', lease as never)).toEqual(seen);
    expect(after(seen, 'lease_created', { ...lease, owner: { id: 'x', email: null } })).toBeNull();
  });
});

describe('who has a phone', () => {
  const leased = (owner: typeof ANA) => device('p', { lease: { owner, expiresAt } });
  const busy = (owner: typeof ANA | null) => device('p', { status: 'busy', session: { ...session, owner } });

  it.each([
    ['free for all', device('p'), 'free', 'good', /^Free$/],
    ['leased to the viewer', leased(BOB), 'leased', 'own', 'Leased to you'],
    ['leased to another', leased(ANA), 'leased', 'warn', /^Leased to ana@lab$/],
    ['used by the viewer', busy(BOB), 'busy', 'own', /^Used by you$/],
    ['used by another whom the viewer may see', busy(ANA), 'busy', 'warn', /^Used by ana@lab$/],
    ['used without an owner', busy(null), 'busy', 'warn', /^Busy$/],
    ['used by another', device('p', { status: 'busy' }), 'busy', 'warn', /^Busy$/],
    ['away', device('p', { status: 'away', lease: leased(ANA).lease as never }), 'away', 'plain', /^Away$/],
  ] as const)('the holder of a phone is told at one glance: %s', (_, shown, state, tone, text) => {
    expect(stateOf(shown)).toBe(state);
    expect(holderOf(shown, 'bob')).toEqual({ tone, text: expect.stringMatching(text) });
  });
});
