import { Audit, type Caller, NO_CREDENTIAL, Refusal, scopeSet, secretHash } from '@svc/auth-core';
import { sampleAccount, seededRandom, silentLog } from '@svc/auth-core/testing';
import { labStores, memoryStores } from '@svc/store-sqlite/testing';
import fc from 'fast-check';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { LeaseCredential } from '../src/capabilities/session-options.ts';
import type { LeaseInput } from '../src/control/lease-input.ts';
import { Leases } from '../src/control/leases.ts';
import { DeviceLab } from '../src/device-lab.ts';
import { HeldLeases } from '../src/leases/held-leases.ts';
import { sampleAdmission, samplePhones, sampleStart } from '../src/testing/index.ts';

const MINUTE = 60_000;
const RUNS = { numRuns: Number(process.env.PROPERTY_RUNS ?? 30) };

function world(count = 2, mostLeases = 0) {
  const isGood = { now: true };
  const stores = memoryStores();
  const clock = { time: 0, now: () => clock.time };
  const random = seededRandom(1);
  const log = silentLog();
  const audit = new Audit(stores, clock, random);
  const rows = labStores().leases;
  const lab = new DeviceLab({
    sessions: labStores().sessions,
    commands: labStores().commands,
    deviceSettings: labStores().deviceSettings,
    leases: { store: rows, stores, audit, authenticator: { stillGood: () => isGood.now } },
    sources: [samplePhones(count, 'virtual')],
    maxSessions: () => 0,
    retentionDays: { commands: () => 30, sessions: () => 365 },
    clock,
    log,
  });
  lab.start();
  const open = () => new HeldLeases({ store: rows, lab, stores, audit, clock, log });
  const held = lab.heldLeases;
  const told: string[] = [];
  lab.events.subscribe(({ type, payload }) => {
    if ('leaseId' in payload)
      told.push(`${type} ${payload.udid}${payload.reason ? `: ${payload.reason}` : ''}`);
  });
  const ids = new Map<string, string>();
  stores.transaction((tx) => {
    for (const name of ['ana', 'bob', 'boss']) {
      const account = sampleAccount(name, { role: name === 'boss' ? 'Super admin' : 'Member' });
      ids.set(name, account.id);
      tx.accounts.insert(account);
    }
    tx.teams.insert({ id: 'qa', name: 'QA' });
  });
  const caller = (name: string): Caller => ({
    account: stores.accounts.byId(ids.get(name) as string) as Caller['account'],
    credential: NO_CREDENTIAL,
    scopes: scopeSet(name === 'boss' ? ['admin'] : ['read', 'sessions', 'devices']),
    expiresAt: null,
    grantsUntil: null,
    teamId: null,
    extended: false,
    from: { address: null, peer: null, requestId: null },
  });
  let sessions = 0;
  /**
   * @returns the udid that a create-session request of the account `name` gets (null for no owner), or the reason why
   * it gets none
   */
  const create = async (name: string | null, wanted: object = {}, lease: LeaseCredential | null = null) => {
    const admission = sampleAdmission({ caller: name === null ? null : caller(name), lease });
    const id = `s${++sessions}`;
    const outcome = await lab.creates
      .createSession(admission, wanted, sampleStart(id))
      .catch((error: Error) => error.message);
    if (typeof outcome === 'string') return outcome;
    return 'session' in outcome ? outcome.session.device?.udid : outcome.refused;
  };
  const over = () => {
    for (const { id } of lab.sessions.running()) lab.recordEnd(id, { category: null, reason: null });
  };
  return {
    stores,
    log,
    clock,
    lab,
    held,
    open,
    rows,
    told,
    ids,
    caller,
    create,
    over,
    leases: new Leases({ held, lab, clock, random, mostLeases }),
    isGood,
  };
}

let w: ReturnType<typeof world>;
beforeEach(() => {
  w = world();
});

const refused = (work: () => unknown): string => {
  try {
    work();
  } catch (error) {
    if (error instanceof Refusal) return error.code;
    throw error;
  }
  return 'granted';
};
const lease = (name: string, input: Partial<LeaseInput> = { udid: 'virtual-1' }) =>
  w.leases.create(w.caller(name), { minutes: 10, ...input });

describe('a lease of a phone that another server of the host holds', () => {
  const lease = (input: Partial<LeaseInput>) =>
    w.leases
      .createInTurn(w.caller('ana'), { minutes: 10, ...input }, new AbortController().signal)
      .then(({ lease }) => lease.udid)
      .catch((error: Refusal) => error.code);

  it('another phone is leased if one fits, and otherwise the lease is refused as busy (contract 14.8)', async () => {
    vi.spyOn(w.lab, 'holdOnHost').mockImplementation(async (udid) => {
      const isElsewhere = udid === 'virtual-1';
      w.lab.devices.markElsewhere(udid, isElsewhere);
      return !isElsewhere;
    });
    expect(await lease({ udid: 'virtual-1' })).toBe('device_busy');
    w.lab.devices.markElsewhere('virtual-1', false);
    expect(await lease({ platform: 'Fake' })).toBe('virtual-2');
    expect(await lease({ platform: 'Fake' })).toBe('device_busy');
    expect(w.held.live().map(({ lease }) => lease.udid)).toEqual(['virtual-2']);
  });
});

describe('who gets a leased phone (contract 2, leases)', () => {
  it('a leased phone goes to its holder before a free one, and to no one else, override admins included (contract 2, leases)', async () => {
    lease('ana', { udid: 'virtual-2' });
    expect(await w.create('boss', { alwaysMatch: { 'appium:udid': 'virtual-2' } })).toBe('the phone is busy');
    expect(await w.create('bob')).toBe('virtual-1');
    expect(await w.create('bob')).toBe('every phone that fits is busy');
    expect(await w.create(null)).toBe('every phone that fits is busy');
    w.over();
    expect(await w.create('ana')).toBe('virtual-2');
    expect(await w.create('ana')).toBe('virtual-1');
  });

  it("a leased phone goes to the create with the lease's id and token, also without an owner, and wrong ones count as none (contract 2, leases)", async () => {
    const { lease: mine, secret } = lease('ana', { udid: 'virtual-2' });
    const other = lease('ana', { udid: 'virtual-1' });
    const given = { id: mine.id, token: secret };
    for (const wrong of [
      { ...given, token: other.secret },
      { ...given, id: other.lease.id },
      { ...given, token: `${secret.slice(0, -1)}${secret.endsWith('0') ? '1' : '0'}` },
      { id: '', token: '' },
    ])
      expect(await w.create('bob', {}, wrong)).toBe('every phone that fits is busy');
    expect(await w.create('bob', {}, given)).toBe('virtual-2');
    w.over();
    expect(await w.create(null, {}, given)).toBe('virtual-2');
  });

  it('a lease ends when its token is revoked, and no other lease with it (contract 10.4)', () => {
    const { secret } = lease('ana', { udid: 'virtual-1' });
    lease('ana', { udid: 'virtual-2' });
    const from = w.caller('ana').from;
    w.leases.endByToken(secretHash('unknown'), from);
    w.leases.endByToken(secretHash(secret), from);
    expect(w.leases.list(w.caller('ana')).map((each) => each.lease.udid)).toEqual(['virtual-2']);
  });

  it('a phone on which the holder runs a session may be leased by them, and the lease continues when the session ends (contract 2, leases)', async () => {
    await w.create('ana');
    await w.create('ana');
    expect(refused(() => lease('bob'))).toBe('device_busy');
    lease('ana');
    expect(refused(() => lease('ana'))).toBe('device_busy');
    w.over();
    expect(await w.create('bob', { alwaysMatch: { 'appium:udid': 'virtual-1' } })).toBe('the phone is busy');
  });
});

describe('which phone (contract 2, leases)', () => {
  it('the one that is named, or any that fits platform and all tags', () => {
    w.lab.devices.change('virtual-2', { tags: ['slow', 'left'] });
    expect(lease('ana', { tags: ['left', 'slow'] }).lease.udid).toBe('virtual-2');
    expect(lease('ana', { platform: 'fAKE' }).lease.udid).toBe('virtual-1');
    expect(refused(() => lease('ana', { platform: 'Fake' }))).toBe('device_busy');
    expect(refused(() => lease('ana', { tags: ['right'] }))).toBe('not_found');
    expect(refused(() => lease('ana', { platform: 'iOS' }))).toBe('not_found');
    expect(refused(() => lease('ana', { udid: 'virtual-3' }))).toBe('not_found');
  });

  it('none that the caller may not see', () => {
    w.lab.devices.change('virtual-1', { teamId: 'qa' });
    expect(refused(() => lease('ana'))).toBe('not_found');
    expect(lease('boss').lease.udid).toBe('virtual-1');
  });

  it.each<[Partial<LeaseInput>]>([
    [{}],
    [{ tags: [] }],
    [{ udid: 'virtual-1', platform: 'Fake' }],
    [{ udid: 'virtual-1', tags: [] }],
    ...[0, -1, 1.5, 481, Number.NaN].map((minutes): [Partial<LeaseInput>] => [
      { udid: 'virtual-1', minutes },
    ]),
  ])('the lease of a phone is refused for %o', (input) => {
    expect(refused(() => lease('ana', input))).toBe('invalid_lease');
  });
});

describe('its end (contract 2, leases)', () => {
  const end = (change: () => void, reason: string) => {
    lease('ana');
    change();
    expect(w.held.on('virtual-1')).toBeUndefined();
    expect(w.rows.all()).toEqual([]);
    expect(w.told.at(-1)).toBe(`lease_ended virtual-1: ${reason}`);
    expect(w.stores.audit.page(null, 1)).toMatchObject([{ event: 'lease_ended', target: 'virtual-1' }]);
  };
  const ana = () => w.ids.get('ana') as string;

  it('a lease ends when it expires (contract 2, leases)', () =>
    end(() => (w.clock.time = 10 * MINUTE), 'it expired'));
  it('a lease ends when its holder is not active (contract 2, leases)', () =>
    end(
      () => w.stores.transaction((tx) => tx.accounts.update(ana(), { status: 'Inactive' })),
      'its holder is not active',
    ));
  it('a lease ends when its holder is deleted (contract 2, leases)', () =>
    end(() => w.stores.transaction((tx) => tx.accounts.remove(ana())), 'its holder was deleted'));
  it('a lease ends when its holder may no longer see the phone (contract 2, leases)', () =>
    end(() => void w.lab.devices.change('virtual-1', { teamId: 'qa' }), 'its holder may not see the phone'));

  it('the end of a lease is noticed within a second by those who watch, and survives a restart until then (contract 2, leases)', () => {
    lease('ana');
    expect(w.open().on('virtual-1')?.lease).toMatchObject({ udid: 'virtual-1' });
    w.held.sweep();
    w.stores.transaction((tx) => tx.accounts.update(ana(), { status: 'Inactive' }));
    w.held.sweep();
    expect(w.told).toEqual(['lease_created virtual-1', 'lease_ended virtual-1: its holder is not active']);
  });

  it('the end of a lease is not undone by a store that cannot write, and is stored later (contract 2, leases)', () => {
    const { lease: made } = lease('ana');
    const remove = w.rows.remove.bind(w.rows);
    w.rows.remove = () => {
      throw new Error('disk full');
    };
    w.clock.time = 10 * MINUTE;
    for (let use = 0; use < 3; use++) expect(w.held.on('virtual-1')).toBeUndefined();
    expect(w.rows.rows.some(({ id }) => id === made.id)).toBe(true);
    expect(w.log.messages('warn')).toEqual(['The end of a lease could not be stored']);
    w.rows.remove = remove;
    expect(w.leases.list(w.caller('boss'))).toEqual([]);
    expect(w.rows.all()).toEqual([]);
  });

  it('a lease is ended by its holder or an override admin, and others do not find it (contract 2, leases)', () => {
    const { lease: made } = lease('ana');
    expect(refused(() => w.leases.end(w.caller('bob'), made.id))).toBe('not_found');
    expect(refused(() => w.leases.extend(w.caller('bob'), made.id, 5))).toBe('not_found');
    expect(w.leases.list(w.caller('bob'))).toEqual([]);
    expect(w.leases.list(w.caller('boss'))).toHaveLength(1);
    w.clock.time = 5 * MINUTE;
    expect(w.leases.extend(w.caller('boss'), made.id, 1).lease.expiresAt).toBe(6 * MINUTE);
    w.leases.end(w.caller('ana'), made.id);
    expect(refused(() => w.leases.end(w.caller('ana'), made.id))).toBe('not_found');
    expect(w.told.map((line) => line.split(' ')[0])).toEqual([
      'lease_created',
      'lease_changed',
      'lease_ended',
    ]);
  });
});

describe('whatever happens (contract 2, leases)', () => {
  const STEP = fc.oneof(
    fc.record({
      do: fc.constant('lease' as const),
      who: fc.constantFrom('ana', 'bob'),
      minutes: fc.integer({ min: 1, max: 480 }),
    }),
    fc.record({ do: fc.constant('wait' as const), minutes: fc.integer({ min: 0, max: 300 }) }),
    fc.record({ do: fc.constant('extend' as const), minutes: fc.integer({ min: 1, max: 480 }) }),
    fc.record({ do: fc.constant('end' as const) }),
  );

  it('a phone has one lease at most, to the millisecond of its end, and of two at once one wins', () => {
    fc.assert(
      fc.property(fc.array(STEP, { maxLength: 30 }), (steps) => {
        w = world(1);
        let until = 0;
        let id = '';
        for (const step of steps) {
          const isLeased = w.clock.time < until;
          if (step.do === 'wait') w.clock.time += step.minutes * MINUTE;
          if (step.do === 'lease') {
            const input = { udid: 'virtual-1', minutes: step.minutes };
            const outcomes = ['ana', step.who].map((who) =>
              refused(() => {
                id = w.leases.create(w.caller(who), input).lease.id;
                until = w.clock.time + step.minutes * MINUTE;
              }),
            );
            expect(outcomes).toEqual(isLeased ? ['device_busy', 'device_busy'] : ['granted', 'device_busy']);
          }
          if (step.do === 'extend') {
            const outcome = refused(() => w.leases.extend(w.caller('boss'), id, step.minutes));
            expect(outcome).toBe(isLeased ? 'granted' : 'not_found');
            if (isLeased) until = w.clock.time + step.minutes * MINUTE;
          }
          if (step.do === 'end') {
            expect(refused(() => w.leases.end(w.caller('boss'), id))).toBe(
              isLeased ? 'granted' : 'not_found',
            );
            until = 0;
          }
          expect(w.held.on('virtual-1') !== undefined).toBe(w.clock.time < until);
          expect(w.rows.all()).toHaveLength(w.clock.time < until ? 1 : 0);
        }
      }),
      RUNS,
    );
  });
});

describe('leases of agents (contract 4, 12)', () => {
  /** An agent of `ana`, whose token is valid for an hour and has these limits. */
  const agent = (sessions: number | null, minutes: number | null): Caller => ({
    ...w.caller('ana'),
    expiresAt: 60 * MINUTE,
    credential: {
      ...NO_CREDENTIAL,
      kind: 'bearer',
      id: 'b1',
      agent: { id: 'a1', sessions, minutes, mcpScopes: [] },
    },
  });
  const take = (caller: Caller, udid: string, minutes = 480) =>
    refused(() => w.leases.create(caller, { udid, minutes }));
  const start = async (caller: Caller, udid: string) => {
    const outcome = await w.lab.creates
      .createSession(
        sampleAdmission({ caller }),
        { alwaysMatch: { 'appium:udid': udid } },
        sampleStart(`of-agent-${udid}`),
      )
      .catch((error: Error) => error.message);
    return typeof outcome === 'string' ? outcome : 'started';
  };
  const LIMIT = 'limit_reached: the token of this agent allows 1 session at once';

  it('a lease holds a phone like a session, and a session on a leased phone holds no other', async () => {
    const caller = agent(1, null);
    expect([take(caller, 'virtual-1'), take(caller, 'virtual-2')]).toEqual(['granted', 'limit_reached']);
    expect(await start(caller, 'virtual-2')).toBe(LIMIT);
    expect(w.lab.devices.statusOf('virtual-2')).toBe('free');
    expect(await start(caller, 'virtual-1')).toBe('started');
    expect(take(w.caller('ana'), 'virtual-2')).toBe('granted');
  });

  it('a lease ends with the token of its agent, also when it is extended', () => {
    expect(take(agent(null, null), 'virtual-1')).toBe('granted');
    const [held] = w.leases.list(w.caller('ana'));
    expect(held?.lease.expiresAt).toBe(60 * MINUTE);
    const extended = w.leases.extend(w.caller('ana'), held?.lease.id as string, 480);
    expect(extended.lease.expiresAt).toBe(60 * MINUTE);
    w.isGood.now = false;
    expect(w.leases.list(w.caller('ana'))).toEqual([]);
    expect(w.told.at(-1)).toBe('lease_ended virtual-1: the token of its agent has ended');
  });

  it('a lease ends when its agent is stopped, also after a restart', () => {
    expect(take(agent(null, null), 'virtual-1')).toBe('granted');
    w.stores.transaction((tx) =>
      tx.revocations.add({
        id: 'a1',
        accountId: w.ids.get('ana') as string,
        cascades: true,
        expiresAt: 9e9,
        sourceId: null,
      }),
    );
    expect(w.open().live()).toEqual([]);
    w.held.sweep();
    expect(w.held.count).toBe(0);
  });

  it('a leased phone uses up the minutes of its agent', () => {
    const caller = agent(null, 5);
    expect(take(caller, 'virtual-1')).toBe('granted');
    expect(w.leases.list(caller)[0]?.lease.expiresAt).toBe(5 * MINUTE);
    for (let minute = 1; minute <= 4; minute += 1) {
      w.clock.time = minute * MINUTE;
      w.lab.agentLimits.countLeases();
    }
    expect(take(caller, 'virtual-2')).toBe('granted');
    w.clock.time = 4.5 * MINUTE;
    w.lab.agentLimits.countLeases();
    w.held.sweep();
    expect(w.held.count).toBe(0);
    expect(take(caller, 'virtual-1')).toBe('limit_reached');
  });

  it('a lease that its agent ends at once uses up minutes, too', () => {
    const caller = agent(null, 1);
    for (let turn = 0; turn < 2; turn += 1) {
      expect(take(caller, 'virtual-1')).toBe('granted');
      w.clock.time += 25_000;
      w.leases.end(caller, w.leases.list(caller)[0]?.lease.id as string);
      w.lab.agentLimits.countLeases();
    }
    expect(take(caller, 'virtual-1')).toBe('granted');
    expect(w.leases.list(caller)[0]?.lease.expiresAt).toBe(w.clock.time + 10_000);
  });
});

it('an account holds no more leases than it may (contract 4)', () => {
  w = world(3, 2);
  lease('ana', { udid: 'virtual-1' });
  lease('ana', { udid: 'virtual-2' });
  expect(refused(() => lease('ana', { udid: 'virtual-3' }))).toBe('too_many_leases');
  expect(refused(() => lease('bob', { udid: 'virtual-3' }))).toBe('granted');
  w.leases.end(w.caller('ana'), w.leases.list(w.caller('ana'))[0]?.lease.id as string);
  expect(refused(() => lease('ana', { udid: 'virtual-1' }))).toBe('granted');
});
