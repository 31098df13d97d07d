import { Audit, type Caller, NO_CREDENTIAL, Refusal, scopeSet } from '@svc/auth-core';
import { sampleAccount, seededRandom, silentLog } from '@svc/auth-core/testing';
import { memoryStores } from '@svc/store-sqlite/testing';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { LeaseInput } from '../src/control/lease-input.ts';
import { Leases } from '../src/control/leases.ts';
import { DeviceLab } from '../src/device-lab.ts';
import { QueueDirectory } from '../src/queue/queue-directory.ts';
import type { Reservation } from '../src/reservations.ts';
import { endLeases } from '../src/shares/open.ts';
import { ShareDirectory } from '../src/shares/share-directory.ts';
import type { ShareLimits } from '../src/shares/share-limits.ts';
import { sampleAdmission, samplePhones, sampleStart } from '../src/testing/index.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const RUNS = { numRuns: Number(process.env.PROPERTY_RUNS ?? 30) };
const NONE: ShareLimits = { sessions: null, leases: null, minutes: null };
const NAMES = ['ana', 'bob', 'boss'];

beforeEach(() => {
  vi.useFakeTimers({ now: 1_000 * DAY });
});
afterEach(() => {
  vi.useRealTimers();
});

function world(count = 6, stores = memoryStores({ loose: true })) {
  const clock = { now: () => Date.now() };
  const random = seededRandom(1);
  const log = silentLog();
  const audit = new Audit(stores, clock, random);
  const lab = new DeviceLab({
    sessions: stores.driverSessions,
    commands: stores.commandLog,
    deviceSettings: stores.deviceSettings,
    leases: { store: stores.leases, stores, audit },
    shares: { limits: stores.shareLimits, times: stores.accountTimes },
    sources: [samplePhones(count, 'p')],
    maxSessions: () => 0,
    retentionDays: { commands: () => 30, sessions: () => 365 },
    clock,
    log,
  });
  lab.start();
  const ids = new Map<string, string>();
  const qa = { id: 'qa', name: 'QA' };
  stores.transaction((tx) => {
    if (tx.teams.byId('qa') === undefined) tx.teams.insert(qa);
    for (const name of NAMES) {
      const account = sampleAccount(name, { role: name === 'boss' ? 'Super admin' : 'Member' });
      ids.set(name, account.id);
      if (tx.accounts.byId(account.id) === undefined) tx.accounts.insert(account);
    }
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
  const directory = new ShareDirectory({
    ...{ shares: lab.shares, store: stores.shareLimits, stores, audit, wake: () => lab.queue.wake() },
  });
  const limit = (who: string, limits: Partial<ShareLimits>) =>
    directory.set(
      caller('boss'),
      who === 'qa' ? { kind: 'team', id: 'qa' } : { kind: 'account', id: ids.get(who) as string },
      { ...NONE, ...limits },
    );
  const join = (...names: string[]) =>
    stores.transaction((tx) => {
      for (const name of names) tx.teams.addMember('qa', ids.get(name) as string);
    });
  const leases = new Leases({ held: lab.heldLeases, lab, clock, random, mostLeases: 0 });
  const reserve = (name: string) => lab.creates.reserve(sampleAdmission({ caller: caller(name) }), {});
  let made = 0;
  const run = async (name: string) => {
    const id = `s${++made}`;
    await lab.creates.createSession(sampleAdmission({ caller: caller(name) }), {}, sampleStart(id));
    return id;
  };
  const lease = (name: string, input: Partial<LeaseInput> = {}) =>
    leases.create(caller(name), { platform: 'Fake', minutes: 30, ...input });
  const end = (id: string) => lab.endSession(id, { category: null, reason: null });
  const outOfService = (udid: string) => (lab.devices.isBlocked(udid) ? { reason: 'broken' } : null);
  const queue = new QueueDirectory({ queue: lab.queue, devices: lab.devices, stores, outOfService, clock });
  return { lab, stores, caller, directory, limit, join, leases, reserve, run, lease, end, queue, ids };
}

/** Lets time pass, in which the lab counts every 5 s as its schedule does. */
function pass({ lab }: ReturnType<typeof world>, ms: number): void {
  for (let left = ms; left > 0; left -= 5_000) {
    vi.advanceTimersByTime(Math.min(left, 5_000));
    lab.accountClock.count();
    endLeases(lab, silentLog());
  }
}

function refusalOf(work: () => unknown): Refusal {
  try {
    work();
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
  throw new Error('it was allowed');
}

describe('the limit of sessions', () => {
  it('the limit of sessions of an account counts its running and starting sessions, and limits no one else', async () => {
    const w = world();
    w.limit('ana', { sessions: 2 });
    const id = await w.run('ana');
    const starting = w.reserve('ana');
    const message = 'limit_reached: the account may have 2 sessions at once, and has as many';
    expect(() => w.reserve('ana')).toThrow(message);
    w.reserve('bob').cancel();
    starting.cancel();
    w.reserve('ana').cancel();
    await w.run('ana');
    expect(() => w.reserve('ana')).toThrow(message);
    await w.end(id);
    w.reserve('ana').cancel();
    expect(w.lab.shares.refused).toEqual({ sessions: 2, leases: 0, minutes: 0 });
  });

  it('the limit of a team counts its members together, and its refusal names the team', async () => {
    const w = world();
    w.join('ana', 'bob');
    w.limit('qa', { sessions: 1 });
    await w.run('ana');
    expect(() => w.reserve('bob')).toThrow('the team QA may have 1 session at once');
    w.reserve('boss').cancel();
    w.limit('qa', {});
    expect(w.stores.shareLimits.all()).toEqual([]);
    w.reserve('bob').cancel();
  });

  it('a limit of 0 lets nothing begin, and does not apply to sessions without an owner', () => {
    const w = world();
    w.limit('ana', { sessions: 0 });
    expect(() => w.reserve('ana')).toThrow('may have 0 sessions at once');
    w.lab.creates.reserve(sampleAdmission({ caller: null }), {}).cancel();
  });

  it('a limit is never exceeded, whatever requests are made, settled and limited in any order', () => {
    const step = fc.record({
      who: fc.constantFrom('ana', 'bob'),
      what: fc.constantFrom('reserve', 'cancel', 'limit'),
      most: fc.nat({ max: 3 }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const w = world(8);
        w.join('ana', 'bob');
        w.limit('qa', { sessions: 3 });
        const most = { ana: Number.POSITIVE_INFINITY, bob: Number.POSITIVE_INFINITY };
        const open: Record<'ana' | 'bob', Reservation[]> = { ana: [], bob: [] };
        for (const { who, what, most: limit } of steps as {
          who: 'ana' | 'bob';
          what: string;
          most: number;
        }[]) {
          const together = open.ana.length + open.bob.length;
          if (what === 'limit') {
            w.limit(who, { sessions: limit });
            most[who] = limit;
          } else if (what === 'cancel') open[who].pop()?.cancel();
          else {
            const isFree = together < 3 && open[who].length < most[who];
            let got: Reservation | undefined;
            try {
              got = w.reserve(who);
            } catch {}
            expect(got !== undefined).toBe(isFree);
            if (got !== undefined) open[who].push(got);
          }
        }
        for (const each of [...open.ana, ...open.bob]) each.cancel();
      }),
      RUNS,
    );
  });
});

describe('the limit of leases', () => {
  it('the refusal by a limit contains its number and its team', () => {
    const w = world();
    w.join('ana', 'bob');
    w.limit('qa', { leases: 1 });
    const { lease } = w.lease('ana');
    const { code, fields } = refusalOf(() => w.lease('bob'));
    expect([code, fields]).toEqual([
      'too_many_leases',
      {
        ...{ limit: 1, team: { id: 'qa', name: 'QA' } },
        message: 'limit_reached: the team QA may have 1 lease at once, and has as many',
      },
    ]);
    w.leases.end(w.caller('ana'), lease.id);
    w.lease('bob');
  });
});

describe('the minutes of a day', () => {
  it('the minutes of a day end with sessions and leases together, and begin again at 00:00 UTC', async () => {
    const w = world();
    w.limit('ana', { minutes: 10 });
    const first = await w.run('ana');
    pass(w, 4 * MINUTE);
    await w.end(first);
    const { lease } = w.lease('ana', { minutes: 30 });
    // The lease lasts no longer than the minutes that are left.
    expect(lease.expiresAt - Date.now()).toBe(6 * MINUTE);
    pass(w, 6 * MINUTE);
    expect(w.lab.heldLeases.live()).toEqual([]);
    const { code, fields } = refusalOf(() => w.lease('ana'));
    expect([code, fields.limit, fields.retryAfter]).toEqual([
      'minutes_used_up',
      10,
      (DAY - 10 * MINUTE) / 1_000,
    ]);
    expect(() => w.reserve('ana')).toThrow('the account has used its 10 minutes of today (UTC)');
    pass(w, DAY - 10 * MINUTE);
    w.reserve('ana').cancel();
  });

  it('the minutes of a day count a session that runs on, which no limit ends', async () => {
    const w = world();
    w.limit('ana', { minutes: 1 });
    const id = await w.run('ana');
    pass(w, 5 * MINUTE);
    expect(w.lab.sessions.ownerOf(id)).toBe(w.ids.get('ana'));
    expect([...w.directory.read(w.caller('ana'))]).toMatchObject([{ used: { sessions: 1, minutes: 5 } }]);
    expect(() => w.reserve('ana')).toThrow('used its 1 minute of today');
  });

  it('the minutes of a day count short sessions between two counts, and a session on a leased phone once, and a restart forgets nothing', async () => {
    const w = world();
    w.limit('ana', { minutes: 100 });
    for (let turn = 0; turn < 10; turn += 1) {
      const id = await w.run('ana');
      vi.advanceTimersByTime(3_000);
      await w.end(id);
    }
    expect(w.lab.accountClock.usedMs(() => true)).toBe(30_000);
    w.lease('ana', { minutes: 30 });
    pass(w, MINUTE);
    const id = await w.run('ana');
    pass(w, MINUTE);
    await w.end(id);
    expect(w.lab.accountClock.usedMs(() => true)).toBe(30_000 + 2 * MINUTE);
    w.lab.accountClock.write(true);
    const after = world(6, w.stores);
    expect(after.lab.accountClock.usedMs(() => true)).toBe(30_000 + 2 * MINUTE);
    expect([...after.directory.read(after.caller('ana'))]).toHaveLength(1);
  });

  it('several leases end at the same time when all of them together have used up the minutes of the day', () => {
    const w = world();
    w.limit('ana', { minutes: 10 });
    w.lease('ana');
    w.lease('ana');
    w.lease('bob');
    pass(w, 5 * MINUTE - 5_000);
    expect(w.lab.heldLeases.live()).toHaveLength(3);
    pass(w, 5_000);
    expect(w.lab.heldLeases.live().map(({ lease }) => lease.ownerId)).toEqual([w.ids.get('bob')]);
  });

  it('the minutes that are left cap the extension of a lease', () => {
    const w = world();
    w.limit('ana', { minutes: 10 });
    const { lease } = w.lease('ana', { minutes: 5 });
    pass(w, 2 * MINUTE);
    const extended = w.leases.extend(w.caller('ana'), lease.id, 60);
    expect(extended.lease.expiresAt - Date.now()).toBe(8 * MINUTE);
  });
});

describe('a request that waits while its account is at its limit', () => {
  const wait = (w: ReturnType<typeof world>, name: string, wanted: object = {}) => {
    const got: { reservation?: Reservation; error?: Error } = {};
    const patience = { until: Date.now() + MINUTE, gone: new AbortController().signal };
    w.lab.creates.reserveInTurn(sampleAdmission({ caller: w.caller(name) }), wanted, patience).then(
      (reservation) => {
        got.reservation = reservation;
      },
      (error: Error) => {
        got.error = error;
      },
    );
    return got;
  };
  const settle = () => vi.advanceTimersByTimeAsync(0);

  it('a request that waits at its limit does not get the phone, keeps it from no one, and says why', async () => {
    const w = world(2);
    w.limit('ana', { sessions: 1 });
    const id = await w.run('ana');
    const waiting = wait(w, 'ana');
    await settle();
    const message = 'limit_reached: the account may have 1 session at once, and has as many';
    expect(w.queue.list(w.caller('ana'))).toMatchObject([{ isOwn: true, because: message }]);
    expect(w.queue.list(w.caller('boss'))).toMatchObject([{ because: message }]);
    expect(w.queue.list(w.caller('bob'))).toMatchObject([{ because: null }]);
    // The second phone is free for others.
    const other = w.reserve('bob');
    other.cancel();
    const { lease } = w.lease('bob');
    w.leases.end(w.caller('bob'), lease.id);
    expect(waiting).toEqual({});
    await w.end(id);
    await settle();
    expect(waiting.reservation?.device?.udid).toBeDefined();
  });

  it('a request that waits at its limit goes in when the limit is raised, and is refused with the limit when its time is over', async () => {
    const w = world(2);
    w.limit('ana', { sessions: 0 });
    const first = wait(w, 'ana');
    await settle();
    w.limit('ana', { sessions: 1 });
    await settle();
    expect(first.reservation).toBeDefined();
    const second = wait(w, 'ana');
    await vi.advanceTimersByTimeAsync(2 * MINUTE);
    expect(second.error?.message).toContain('may have 1 session at once');
  });

  it('a request that waits while its account is at its limit is told that its phones are out of service (contract 17.1)', async () => {
    const w = world(2);
    w.lab.devices.block('p-1');
    wait(w, 'ana', { alwaysMatch: { 'appium:udid': 'p-1' } });
    await settle();
    const reasons = () => w.queue.list(w.caller('ana')).map(({ because }) => because);
    expect(reasons()).toEqual(['the phone is out of service: broken']);
    w.reserve('bob');
    wait(w, 'ana');
    await settle();
    expect(reasons()).toEqual(['the phone is out of service: broken', null]);
    w.lab.devices.block('p-2');
    expect(reasons()).toEqual([
      'the phone is out of service: broken',
      'every phone that fits is out of service',
    ]);
  });

  it('a request does not wait for minutes that are used up', async () => {
    const w = world(2);
    w.limit('ana', { minutes: 0 });
    const waiting = wait(w, 'ana');
    await settle();
    expect(waiting.error?.message).toContain('has used its 0 minutes of today');
  });
});

describe('the list of limits', () => {
  it('the list of limits shows a Member their own and those of their teams, and a Super admin all', () => {
    const w = world();
    w.join('ana');
    w.limit('qa', { sessions: 4 });
    w.limit('bob', { leases: 1 });
    const namesFor = (name: string) => [...w.directory.read(w.caller(name))].map((each) => each.name);
    expect(namesFor('ana')).toEqual(['QA']);
    expect(namesFor('bob')).toEqual([w.caller('bob').account.email]);
    expect(namesFor('boss')).toEqual(['QA', w.caller('bob').account.email]);
  });
});
