import { Audit, type Caller, NO_CREDENTIAL, scopeSet } from '@svc/auth-core';
import { sampleAccount, seededRandom, silentLog } from '@svc/auth-core/testing';
import { labStores, memoryStores } from '@svc/store-sqlite/testing';
import { expect, it } from 'vitest';
import { Leases } from '../src/control/leases.ts';
import { DeviceLab } from '../src/device-lab.ts';
import { samplePhones } from '../src/testing/index.ts';
import { UseDirectory } from '../src/use/use-directory.ts';
import { UseMeter } from '../src/use/use-meter.ts';

const HOUR_MS = 3_600_000;
const START = 1_000 * HOUR_MS;

function world() {
  let now = START;
  const clock = { now: () => now };
  const stores = memoryStores();
  const random = seededRandom(1);
  const source = samplePhones(3, 'p');
  const log = silentLog();
  const lab = new DeviceLab({
    sessions: labStores().sessions,
    commands: labStores().commands,
    deviceSettings: labStores().deviceSettings,
    leases: { store: labStores().leases, stores, audit: new Audit(stores, clock, random) },
    shares: { limits: stores.shareLimits, times: stores.accountTimes },
    sources: [source],
    maxSessions: () => 0,
    retentionDays: { commands: () => 30, sessions: () => 365 },
    clock,
    log,
  });
  lab.start();
  const store = labStores().phoneUse;
  const meter = new UseMeter({
    store,
    devices: lab.devices,
    leases: lab.heldLeases,
    queue: lab.queue,
    clock,
    log,
  });
  const accounts = { ana: sampleAccount('ana'), boss: sampleAccount('boss', { role: 'Super admin' }) };
  stores.transaction((tx) => {
    for (const account of Object.values(accounts)) tx.accounts.insert(account);
    tx.teams.insert({ id: 'red', name: 'Red' });
  });
  const caller = (name: keyof typeof accounts): Caller => ({
    account: stores.accounts.byId(accounts[name].id) as Caller['account'],
    credential: NO_CREDENTIAL,
    scopes: scopeSet(name === 'boss' ? ['admin'] : ['read', 'sessions', 'devices']),
    expiresAt: null,
    grantsUntil: null,
    teamId: null,
    extended: false,
    from: { address: null, peer: null, requestId: null },
  });
  const leases = new Leases({ held: lab.heldLeases, lab, clock, random, mostLeases: 0 });
  const shown = { byPerson: false };
  const directory = new UseDirectory({
    ...{ meter, accountClock: lab.accountClock, devices: lab.devices, stores, clock },
    byPerson: () => shown.byPerson,
  });
  /** Advances the clock. The phones are sampled every 5 s. */
  const pass = (seconds: number) => {
    for (let passed = 0; passed < seconds; passed += 5) {
      now += 5_000;
      meter.sample();
      lab.accountClock.count();
    }
  };
  const jump = (ms: number) => {
    now += ms;
  };
  const week = async (name: keyof typeof accounts) => {
    const { phones, teams } = await directory.week(caller(name), async (steps) => [...steps]);
    return {
      phones: phones.map(({ device, times }) => [device.udid, ...secondsOf(times)]),
      teams: teams?.map(({ team, phones, times }) => [team?.name ?? null, phones, ...secondsOf(times)]),
    };
  };
  /** `steps` counts the steps of the reads, between which the server handles other requests. */
  const month = (name: keyof typeof accounts = 'boss', count: (steps: number) => void = () => undefined) =>
    directory.month(caller(name), now, async (steps) => count([...steps].length));
  return { lab, source, store, meter, leases, caller, pass, jump, week, month, shown };
}

const DAY = 24 * 60 * 60 * 1000;
const secondsOf = (times: { presentMs: number; busyMs: number; leasedMs: number; waitedMs: number }) =>
  [times.presentMs, times.busyMs, times.leasedMs, times.waitedMs].map((ms) => ms / 1_000);

it('the use of phones counts present, busy, leased and waited time of each phone, written or not (contract 13)', async () => {
  const { lab, source, store, leases, caller, pass, week } = world();
  lab.devices.hold('p-1');
  await leases.createInTurn(caller('ana'), { udid: 'p-2', minutes: 60 }, new AbortController().signal);
  pass(30);
  // The session of the lease's holder makes the phone busy, and a request begins to wait for the phone.
  lab.devices.hold('p-2');
  const input = { udid: 'p-2', minutes: 5, queueSeconds: 60 };
  const gone = new AbortController();
  const waiting = leases.createInTurn(caller('boss'), input, gone.signal).catch(() => 'left');
  pass(10);
  lab.devices.report(source, []);
  pass(30);
  expect(store.rows.length).toBeGreaterThan(0);
  const phones = [
    ['p-1', 40, 40, 0, 0],
    ['p-2', 40, 10, 30, 10],
    ['p-3', 40, 0, 0, 0],
  ];
  expect(await week('ana')).toEqual({ phones, teams: undefined });
  expect((await week('boss')).teams).toEqual([[null, 3, 120, 50, 30, 10]]);
  gone.abort();
  await waiting;
});

it('the use of phones counts by the team of the time, shows a phone to those who see it, and ends after a week (contract 13)', async () => {
  const { lab, meter, store, pass, jump, week } = world();
  pass(60);
  lab.devices.change('p-1', { teamId: 'red' });
  lab.devices.hold('p-1');
  pass(10);
  expect((await week('ana')).phones.map(([udid]) => udid)).toEqual(['p-2', 'p-3']);
  expect(await week('boss')).toEqual({
    phones: [
      ['p-1', 70, 10, 0, 0],
      ['p-2', 70, 0, 0, 0],
      ['p-3', 70, 0, 0, 0],
    ],
    teams: [
      [null, 3, 200, 0, 0, 0],
      ['Red', 1, 10, 10, 0, 0],
    ],
  });
  // The time in which the phone belonged to the team stays hidden from users who could not see the phone then.
  lab.devices.change('p-1', { teamId: null });
  expect((await week('ana')).phones[0]).toEqual(['p-1', 60, 0, 0, 0]);
  lab.devices.change('p-1', { teamId: 'red' });
  meter.stop();
  // The state of the phones during a long pause is unknown, so the pause adds no time.
  jump(7 * 24 * HOUR_MS);
  pass(10);
  expect((await week('boss')).phones[0]).toEqual(['p-1', 5, 5, 0, 0]);
  expect(meter.removeOld()).toBe(false);
  expect(store.rows.length).toBeGreaterThan(0);
  jump(24 * HOUR_MS);
  expect(meter.removeOld()).toBe(false);
  expect(store.rows.every(({ hour }) => hour > START)).toBe(true);
});

it('the use of phones keeps what it could not write, and writes it when the database works again', async () => {
  const { meter, store, pass, week } = world();
  const add = store.add.bind(store);
  store.add = () => {
    throw new Error('the disk is full');
  };
  pass(120);
  expect(store.rows).toEqual([]);
  expect((await week('boss')).phones[0]).toEqual(['p-1', 120, 0, 0, 0]);
  store.add = add;
  meter.stop();
  expect(store.rows.map(({ presentMs }) => presentMs)).toEqual([120_000, 120_000, 120_000]);
});

it('a month has the use of each phone and team, written or not, and of each person only if it is shown', async () => {
  const { lab, leases, caller, pass, month, shown } = world();
  leases.create(caller('ana'), { udid: 'p-1', minutes: 60 });
  lab.devices.change('p-2', { teamId: 'red' });
  pass(90);
  const { from, to, phones, teams, people } = await month();
  const start = new Date(START);
  expect([from, to]).toEqual([
    Date.UTC(start.getUTCFullYear(), start.getUTCMonth()),
    Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1),
  ]);
  expect(phones.map(({ udid, team, times }) => [udid, team?.name ?? null, ...secondsOf(times)])).toEqual([
    ['p-1', null, 90, 0, 90, 0],
    ['p-2', 'Red', 90, 0, 0, 0],
    ['p-3', null, 90, 0, 0, 0],
  ]);
  expect(teams.map(({ team, phones: count }) => [team?.name ?? null, count])).toEqual([
    [null, 2],
    ['Red', 1],
  ]);
  expect(people).toBeNull();
  shown.byPerson = true;
  const steps: number[] = [];
  expect((await month('boss', (count) => steps.push(count))).people).toMatchObject([
    { email: expect.stringContaining('ana'), sessionMs: 0, leaseMs: 90_000 },
  ]);
  expect(steps).toEqual([(to - from) / DAY, 1]);
});

it('one more phone of a kind saves the time in which a request for any phone of it waits, and no other time', async () => {
  const { lab, leases, caller, pass, month } = world();
  const kinds = async () =>
    (await month()).kinds.map(({ kind, phones, savedMs }) => [kind, phones, savedMs / 1_000]);
  const waiting: AbortController[] = [];
  const wait = (input: object) => {
    const gone = new AbortController();
    waiting.push(gone);
    const asked = { minutes: 5, queueSeconds: 60, ...input };
    leases.createInTurn(caller('ana'), asked, gone.signal).catch(() => undefined);
  };
  for (const udid of ['p-1', 'p-2', 'p-3']) lab.devices.hold(udid);
  wait({ udid: 'p-1' });
  pass(20);
  expect(await kinds()).toEqual([]);
  wait({ platform: 'Fake' });
  wait({ platform: 'Fake' });
  pass(30);
  const [kind] = (await kinds())[0] ?? [];
  expect(await kinds()).toEqual([[kind, 3, 30]]);
  for (const each of waiting) each.abort();
  pass(30);
  expect(await kinds()).toEqual([[kind, 3, 30]]);
});
