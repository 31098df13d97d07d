import { Audit, type Caller, NO_CREDENTIAL, scopeSet, Unavailable } from '@svc/auth-core';
import { sampleAccount, seededRandom, silentLog } from '@svc/auth-core/testing';
import type { OpenConnection } from '@svc/module';
import { labStores, memoryStores } from '@svc/store-sqlite/testing';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Admission } from '../src/admission.ts';
import type { LeaseInput } from '../src/control/lease-input.ts';
import { Leases } from '../src/control/leases.ts';
import { DeviceLab } from '../src/device-lab.ts';
import { ClientLeft, RightLost } from '../src/queue/phone-request.ts';
import { QueueDirectory } from '../src/queue/queue-directory.ts';
import type { Reservation } from '../src/reservations.ts';
import { sampleAdmission, samplePhones, sampleStart } from '../src/testing/index.ts';

const RUNS = { numRuns: Number(process.env.PROPERTY_RUNS ?? 40) };
const clock = { now: () => Date.now() };

beforeEach(() => {
  vi.useFakeTimers({ now: 1_000_000 });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Runs the callbacks of promises that are already settled. */
const settle = () => vi.advanceTimersByTimeAsync(0);
const seconds = (count: number) => vi.advanceTimersByTimeAsync(count * 1_000);

const NONE_FITS = 'no phone of this lab fits the capabilities';

function world(count = 2) {
  const stores = memoryStores();
  const random = seededRandom(1);
  const audit = new Audit(stores, clock, random);
  const limits = { maxSessions: 0 };
  const source = samplePhones(count, 'p');
  const followed = new Map<OpenConnection, Caller>();
  const lab = new DeviceLab({
    sessions: labStores().sessions,
    commands: labStores().commands,
    deviceSettings: labStores().deviceSettings,
    leases: { store: labStores().leases, stores, audit },
    sources: count === 0 ? [] : [source],
    maxSessions: () => limits.maxSessions,
    retentionDays: { commands: () => 30, sessions: () => 365 },
    connections: {
      add: (connection) => {
        followed.set(connection, connection.caller);
        const current = () => followed.get(connection) ?? null;
        return { current, expire: () => undefined, forget: () => followed.delete(connection) };
      },
    },
    clock,
    log: silentLog(),
  });
  lab.start();
  const leases = new Leases({ held: lab.heldLeases, lab, clock, random, mostLeases: 0 });
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
  const queue = new QueueDirectory({ queue: lab.queue, devices: lab.devices, stores, clock });
  const events: unknown[] = [];
  lab.events.subscribe(({ type, payload }) => {
    if (type === 'queue_changed') events.push(payload.waiting);
  });
  return { lab, leases, caller, queue, limits, followed, events, source };
}

type World = ReturnType<typeof world>;

/** Starts a create-session request that waits. `got` is set when its wait has ended. */
function create({ lab }: World, udid: string | null, change: Partial<Admission> = {}, wait = 60) {
  const gone = new AbortController();
  const made: { got?: Reservation | Error; abort(): void; readonly udid: string | null } = {
    abort: () => gone.abort(),
    udid,
  };
  const wanted = udid === null ? {} : { alwaysMatch: { 'appium:udid': udid } };
  const patience = { until: clock.now() + wait * 1_000, gone: wait === 0 ? null : gone.signal };
  lab.creates.reserveInTurn(sampleAdmission(change), wanted, patience).then(
    (got) => {
      made.got = got;
    },
    (error: Error) => {
      made.got = error;
    },
  );
  return made;
}

type Made = ReturnType<typeof create>;
const udidOf = ({ got }: Made) =>
  got === undefined ? 'waits' : got instanceof Error ? got.message : got.device?.udid;
const end = ({ got }: Made) => (got as Reservation).cancel();

function lease({ leases, caller }: World, name: string, input: Partial<LeaseInput>, queueSeconds = 60) {
  const made: { got?: string; code?: string; id?: string } = {};
  leases
    .createInTurn(caller(name), { minutes: 5, queueSeconds, ...input }, new AbortController().signal)
    .then(
      (created) => {
        made.got = created.lease.udid;
        made.id = created.lease.id;
      },
      (error: { code: string }) => {
        made.code = error.code;
      },
    );
  return made;
}

describe('creates that wait for a phone (contract 13)', () => {
  it('a waiting create is compared with the phones once, and again only after their facts have changed (contract 13)', async () => {
    const { lab } = world(3);
    const { devices, queue } = lab;
    devices.change('p-1', { tags: ['fast'] });
    devices.hold('p-1');
    const capabilities = { alwaysMatch: { 'svc:options': { tags: ['fast'] } } };
    const patience = { until: clock.now() + 60_000, gone: new AbortController().signal };
    let got: Reservation | undefined;
    void lab.creates.reserveInTurn(sampleAdmission({}), capabilities, patience).then((reservation) => {
      got = reservation;
    });
    await settle();
    const compare = vi.spyOn(devices, 'tagsOf');
    for (let each = 0; each < 20; each++) {
      devices.hold('p-2');
      devices.release('p-2');
      await settle();
    }
    expect(compare.mock.calls.filter(([udid]) => udid === 'p-3').length).toBeLessThanOrEqual(1);
    expect(got).toBeUndefined();
    devices.change('p-3', { tags: ['fast'] });
    queue.wake();
    await settle();
    expect(got?.device?.udid).toBe('p-3');
  });

  it('creates that wait for a phone are reported once when one has waited for more than five minutes, and again after it was served (contract 13)', async () => {
    const lab = world(1);
    const long: object[] = [];
    lab.lab.events.subscribe(({ type, payload, audience }) => {
      if (type === 'queue_long') long.push({ ...payload, audience: audience.kind });
    });
    const running = create(lab, 'p-1');
    await settle();
    const first = create(lab, 'p-1', {}, 600);
    const second = create(lab, null, {}, 600);
    await seconds(300);
    expect(long).toEqual([]);
    await seconds(200);
    expect(long).toEqual([
      {
        waiting: 2,
        kind: 'session',
        since: '1970-01-01T00:16:40.000Z',
        waitedSeconds: 301,
        owner: null,
        wants: { udid: 'p-1', platform: null, tags: [] },
        audience: 'admins',
      },
    ]);
    end(running);
    await settle();
    // This request has waited for as long as the first one, so the queue is still long.
    await seconds(50);
    expect(long).toHaveLength(1);
    end(first);
    await settle();
    create(lab, 'p-1', {}, 600);
    await seconds(310);
    expect(long).toHaveLength(2);
    expect(udidOf(second)).toBe('p-1');
  });

  it('creates that wait for a phone are served in the order of arrival by each end of a session, and others are not held up (contract 13)', async () => {
    const lab = world(2);
    const running = [create(lab, 'p-1'), create(lab, 'p-2')];
    await settle();
    const first = create(lab, 'p-1');
    const second = create(lab, 'p-1');
    const other = create(lab, 'p-2');
    await settle();
    expect([first, second, other].map(udidOf)).toEqual(['waits', 'waits', 'waits']);
    end(running[1] as Made);
    await settle();
    expect([first, second, other].map(udidOf)).toEqual(['waits', 'waits', 'p-2']);
    end(running[0] as Made);
    await settle();
    expect([first, second].map(udidOf)).toEqual(['p-1', 'waits']);
    end(first);
    await settle();
    expect(udidOf(second)).toBe('p-1');
  });

  it('a create that does not wait does not overtake, and neither does a general one', async () => {
    const lab = world(1);
    const running = create(lab, 'p-1');
    await settle();
    const waiting = create(lab, 'p-1');
    await settle();
    end(running);
    // The queue has not woken yet, but the older request still gets the phone first.
    const now = create(lab, null, {}, 0);
    await settle();
    expect([udidOf(waiting), udidOf(now)]).toEqual(['p-1', 'every phone that fits is busy']);
  });

  it('creates that wait for a phone are refused at their time exactly as without waiting (contract 13)', async () => {
    const lab = world(1);
    create(lab, 'p-1');
    const [named, any] = [create(lab, 'p-1', {}, 5), create(lab, null, {}, 5)];
    await seconds(4.9);
    expect([udidOf(named), udidOf(any)]).toEqual(['waits', 'waits']);
    await seconds(0.2);
    expect([udidOf(named), udidOf(any)]).toEqual(['the phone is busy', 'every phone that fits is busy']);
    expect(lab.lab.queue.waiting).toBe(0);
  });

  it('creates that wait for a phone do not wait for a phone that does not exist, is hidden or away (contract 13)', async () => {
    const lab = world(1);
    const hidden = { maySee: () => false };
    expect(await settled(create(lab, 'p-9'))).toBe(`${NONE_FITS}: appium:udid p-9; the lab has p-1`);
    expect(await settled(create(lab, 'p-1', hidden))).toBe(NONE_FITS);
    lab.lab.devices.report(lab.source, []);
    expect(await settled(create(lab, 'p-1'))).toBe(NONE_FITS);
    expect(lab.lab.queue.waiting).toBe(0);
  });

  it('creates that wait for a phone keep waiting while their phone is away, and get it when it is back (contract 13)', async () => {
    const lab = world(1);
    const running = create(lab, 'p-1');
    await settle();
    const waiting = create(lab, 'p-1');
    await settle();
    lab.lab.devices.report(lab.source, []);
    end(running);
    await seconds(3);
    expect(udidOf(waiting)).toBe('waits');
    lab.source.start((devices) => lab.lab.devices.report(lab.source, devices));
    await settle();
    expect(udidOf(waiting)).toBe('p-1');
  });

  it('creates that wait for a phone wait at the session limit, and a raised limit lets the next one in within 5 s (contract 13)', async () => {
    const lab = world(3);
    lab.limits.maxSessions = 1;
    create(lab, 'p-1');
    const [second, third] = [create(lab, 'p-2'), create(lab, 'p-3')];
    await seconds(3);
    expect([second, third].map(udidOf)).toEqual(['waits', 'waits']);
    expect(await settled(create(lab, 'p-9'))).toContain('limit of 1 session at once');
    lab.limits.maxSessions = 2;
    await seconds(5);
    expect([second, third].map(udidOf)).toEqual(['p-2', 'waits']);
    end(second);
    await settle();
    expect(udidOf(third)).toBe('p-3');
  });

  it('a lab without phones waits for the session limit alone', async () => {
    const lab = world(0);
    lab.limits.maxSessions = 1;
    const running = create(lab, null);
    await settle();
    const waiting = create(lab, null);
    await settle();
    expect(udidOf(waiting)).toBe('waits');
    end(running);
    await settle();
    expect(udidOf(waiting)).toBeUndefined();
  });

  it('creates whose client disconnects leave the queue, also after they were woken (contract 13)', async () => {
    const lab = world(1);
    const running = create(lab, 'p-1');
    await settle();
    const [gone, next] = [create(lab, 'p-1'), create(lab, 'p-1')];
    await settle();
    end(running);
    // The queue wakes in a microtask, so the client can disconnect between the end of the session and the wake.
    gone.abort();
    await settle();
    expect(gone.got).toBeInstanceOf(ClientLeft);
    expect(udidOf(next)).toBe('p-1');
    (next.got as Reservation).abandon();
    const start = sampleStart('s1');
    await expect(
      lab.lab.creates.createSession(sampleAdmission(), {}, start, { reserved: next.got as Reservation }),
    ).rejects.toBeInstanceOf(ClientLeft);
    expect(lab.lab.devices.statusOf('p-1')).toBe('free');
  });

  it('creates that wait for a phone are refused when the right to the phone, the credential or the scope is lost (contract 13)', async () => {
    const lab = world(2);
    lab.lab.devices.change('p-2', { teamId: 'qa' });
    const boss = lab.caller('boss');
    create(lab, 'p-1');
    create(lab, 'p-2', { caller: boss, maySee: () => true });
    await settle();
    const teamless = create(lab, 'p-2', { caller: boss, maySee: () => true });
    const revoked = create(lab, 'p-1', { caller: lab.caller('ana') });
    await settle();
    for (const [connection, { account }] of lab.followed)
      if (account.id === boss.account.id) lab.followed.set(connection, lab.caller('ana'));
    await seconds(2);
    expect(udidOf(teamless)).toBe(`${NONE_FITS}: appium:udid p-2; the lab has p-1`);
    const [connection] = lab.followed.keys();
    expect(connection?.refusal({ ...lab.caller('ana'), scopes: scopeSet(['read']) })).toContain('sessions');
    connection?.close({ kind: 'refused', reason: 'the credential is no longer valid' });
    await settle();
    expect(revoked.got).toBeInstanceOf(RightLost);
    expect(lab.followed.size).toBe(0);
  });

  it('creates that wait for a phone are answered when the server stops, and none waits from then on (contract 13)', async () => {
    const lab = world(1);
    create(lab, 'p-1');
    const waiting = create(lab, 'p-1');
    await settle();
    lab.lab.stop();
    await settle();
    expect(waiting.got).toBeInstanceOf(Unavailable);
    expect(await settled(create(lab, 'p-1'))).toBe('the phone is busy');
  });

  it('a create beyond 16 of an account in the queue is refused without a wait, and is counted (contract 13)', async () => {
    const lab = world(1);
    create(lab, 'p-1');
    await settle();
    const caller = lab.caller('ana');
    const all = Array.from({ length: 17 }, () => create(lab, 'p-1', { caller }));
    await settle();
    expect(all.map(udidOf)).toEqual([...Array(16).fill('waits'), 'the phone is busy']);
    expect(lab.lab.queue.counts.full).toBe(1);
    const ownerless = Array.from({ length: 17 }, () => create(lab, 'p-1', { lacksCredentials: true }));
    await settle();
    expect(ownerless.filter((each) => udidOf(each) === 'waits')).toHaveLength(16);
  });
});

async function settled(made: Made) {
  await settle();
  return udidOf(made);
}

describe('leases that wait (contract 13)', () => {
  it('leases that wait share the queue with creates, and end with device_busy at their time (contract 13)', async () => {
    const lab = world(1);
    const running = create(lab, 'p-1');
    await settle();
    const first = lease(lab, 'ana', { udid: 'p-1' });
    const second = create(lab, 'p-1');
    const third = lease(lab, 'bob', { platform: 'fake' }, 10);
    await settle();
    end(running);
    await settle();
    expect([first.got, udidOf(second), third.got]).toEqual(['p-1', 'waits', undefined]);
    await seconds(11);
    expect(third.code).toBe('device_busy');
    lab.leases.end(lab.caller('ana'), first.id as string);
    await settle();
    expect(udidOf(second)).toBe('p-1');
  });

  it('leases that wait do not take the phone of an older create that only the session limit holds back (contract 13)', async () => {
    const lab = world(2);
    lab.limits.maxSessions = 1;
    create(lab, 'p-1');
    const older = create(lab, 'p-2');
    await settle();
    expect(udidOf(older)).toBe('waits');
    const named = lease(lab, 'ana', { udid: 'p-2' }, 0);
    await settle();
    expect(named.code).toBe('device_busy');
    lab.limits.maxSessions = 2;
    await seconds(2);
    expect(udidOf(older)).toBe('p-2');
  });

  it.each([-1, 61, 1.5, '5', null, true])('queueSeconds %j is invalid_lease', async (queueSeconds) => {
    const lab = world(1);
    const made = lease(lab, 'ana', { udid: 'p-1', queueSeconds });
    await settle();
    expect(made.code).toBe('invalid_lease');
  });
});

describe('what others see of the queue (contract 13)', () => {
  it('an event with the number, at once and at the end, at most once a second', async () => {
    const lab = world(1);
    create(lab, 'p-1');
    await settle();
    const all = Array.from({ length: 5 }, () => create(lab, 'p-1'));
    await settle();
    expect(lab.events).toEqual([1]);
    await seconds(1.1);
    expect(lab.events).toEqual([1, 5]);
    for (const each of all) each.abort();
    await seconds(3);
    expect(lab.events).toEqual([1, 5, 0]);
  });

  it('places, and names only for Admins and oneself; nothing of hidden phones', async () => {
    const lab = world(3);
    const [ana, bob, boss] = [lab.caller('ana'), lab.caller('bob'), lab.caller('boss')];
    lab.lab.devices.change('p-3', { teamId: 'qa' });
    const admission = (caller: Caller): Partial<Admission> => ({
      caller,
      maySee: (id) => id === null || caller === boss,
    });
    for (const udid of ['p-1', 'p-2', 'p-3']) create(lab, udid, admission(boss));
    await settle();
    create(lab, 'p-1', admission(ana));
    create(lab, 'p-2', admission(bob));
    create(lab, null, admission(ana));
    create(lab, 'p-3', admission(boss));
    await settle();
    const seen = (viewer: Caller) =>
      lab.queue
        .list(viewer)
        .map(({ place, isOwn, owner, wants }) => [wants.udid, place, isOwn, owner?.id ?? null]);
    expect(seen(ana)).toEqual([
      ['p-1', 1, true, ana.account.id],
      ['p-2', 1, false, null],
      [null, 3, true, ana.account.id],
    ]);
    expect(seen(boss)).toEqual([
      ['p-1', 1, false, ana.account.id],
      ['p-2', 1, false, bob.account.id],
      ['p-3', 1, true, boss.account.id],
      [null, 3, false, ana.account.id],
    ]);
  });
});

const step = fc.oneof(
  fc.record({
    kind: fc.constant('create' as const),
    udid: fc.constantFrom('p-1', 'p-2', 'p-3', null),
    wait: fc.constantFrom(0, 5, 600),
  }),
  fc.record({
    kind: fc.constant('lease' as const),
    udid: fc.constantFrom('p-1', 'p-2', undefined),
    who: fc.constantFrom('ana', 'bob'),
  }),
  fc.record({ kind: fc.constantFrom('end' as const, 'abort' as const, 'endLease' as const), at: fc.nat(20) }),
  fc.record({ kind: fc.constant('limit' as const), most: fc.nat(3) }),
  fc.record({ kind: fc.constant('time' as const), seconds: fc.integer({ min: 1, max: 6 }) }),
);

it('the queue gives no phone twice and loses no waiter under random arrivals, ends, aborts, leases and limits (contract 13)', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const lab = world(3);
      const creates: Made[] = [];
      const leases: ReturnType<typeof lease>[] = [];
      const held = new Set<Made>();
      const notice = () => {
        for (const each of creates)
          if (each.got !== undefined && !(each.got instanceof Error)) held.add(each);
        const busy = [...ended(held)].map(udidOf);
        expect(new Set(busy).size).toBe(busy.length);
      };
      const over = new Set<Made>();
      const ended = (all: Set<Made>) => [...all].filter((each) => !over.has(each));
      for (const each of steps) {
        if (each.kind === 'create')
          creates.push(create(lab, each.udid, { caller: lab.caller('boss') }, each.wait));
        else if (each.kind === 'lease')
          leases.push(
            lease(lab, each.who, each.udid === undefined ? { platform: 'Fake' } : { udid: each.udid }),
          );
        else if (each.kind === 'limit') lab.limits.maxSessions = each.most;
        else if (each.kind === 'time') await seconds(each.seconds);
        else if (each.kind === 'abort') creates[each.at]?.abort();
        else if (each.kind === 'end') {
          const [one] = ended(held).slice(each.at % Math.max(1, ended(held).length));
          if (one !== undefined) {
            over.add(one);
            end(one);
          }
        } else
          lab.lab.heldLeases.live()[each.at] &&
            lab.leases.end(lab.caller('boss'), lab.lab.heldLeases.live()[each.at]?.lease.id ?? '');
        if (each.kind !== 'end') await settle();
        notice();
      }
      lab.limits.maxSessions = 0;
      for (let turn = 0; turn < 60 && lab.lab.queue.waiting > 0; turn += 1) {
        for (const each of ended(held)) {
          over.add(each);
          end(each);
        }
        for (const { lease: one } of lab.lab.heldLeases.live()) lab.leases.end(lab.caller('boss'), one.id);
        await seconds(1);
        notice();
      }
      await settle();
      expect(lab.lab.queue.waiting).toBe(0);
      expect(creates.every(({ got }) => got !== undefined)).toBe(true);
      expect(leases.every(({ got, code }) => got !== undefined || code !== undefined)).toBe(true);
      expect(lab.followed.size).toBe(0);
    }),
    RUNS,
  );
});
