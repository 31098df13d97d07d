import { Audit, type Caller, NO_CREDENTIAL, scopeSet } from '@svc/auth-core';
import { sampleAccount, seededRandom, silentLog } from '@svc/auth-core/testing';
import { labStores, memoryStores } from '@svc/store-sqlite/testing';
import { expect, it } from 'vitest';
import { PhoneCleaner } from '../src/care/cleaning/phone-cleaner.ts';
import { leaseHolders } from '../src/care/cleaning/phone-holders.ts';
import { HealthProbes } from '../src/care/health-probes.ts';
import { OutOfService } from '../src/care/out-of-service.ts';
import type { ProbeResult } from '../src/care/probe-phone.ts';
import { RefusedCreates } from '../src/care/refused-creates.ts';
import { DeviceLab } from '../src/device-lab.ts';
import { listedDevices } from '../src/sources/listed-devices.ts';
import type { StartSession } from '../src/start-session.ts';
import { sampleAdmission, sampleStart } from '../src/testing/index.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const STEP = 5 * SECOND;
const SESSIONS = 2_000;
const OWN = ['com.lab', 'io.appium.settings'];
const settle = () => new Promise(setImmediate);
const WELL = { isBooted: true, battery: 90, isCharging: true, temperature: 30, storageFree: 10_000_000_000 };

/** What is wrong with a phone in some hours of the night. */
type Fault = 'empty battery' | 'refuses creates' | 'hangs' | 'keeps an app';

/** Times (hours) at which the phones go bad and are well again. */
const FAULTS: Readonly<Record<string, { fault: Fault; from: number; to: number }>> = {
  'phone-03': { fault: 'empty battery', from: 1, to: 3 },
  'phone-07': { fault: 'refuses creates', from: 2, to: 4 },
  'phone-12': { fault: 'hangs', from: 4.5, to: 5.5 },
  'phone-18': { fault: 'keeps an app', from: 3, to: 6 },
};

function nightLab(udids: readonly string[], names: readonly string[]) {
  const stores = memoryStores();
  const accounts = names.map((name) => sampleAccount(name));
  stores.transaction((tx) => {
    for (const account of accounts) tx.accounts.insert(account);
  });
  const clock = { time: 1_000_000, now: () => clock.time };
  const begin = clock.time;
  const log = silentLog();
  const audit = new Audit(stores, clock, seededRandom(1));
  const packages = new Map(udids.map((udid) => [udid, new Set(OWN)]));
  const faultOf = (udid: string): Fault | null => {
    const { fault, from, to } = FAULTS[udid] ?? { fault: null, from: 0, to: 0 };
    const hour = (clock.time - begin) / HOUR;
    return hour >= from && hour < to ? fault : null;
  };
  const facts = { platform: 'Android', osVersion: '14', node: null, mjpegUrl: null, h264Url: null };
  const source = listedDevices(
    'phones',
    udids.map((udid) => ({ udid, name: udid, ...facts, logs: 'adb' as const })),
  );
  const sessions = labStores().sessions;
  const lab = new DeviceLab({
    sessions,
    commands: labStores().commands,
    deviceSettings: labStores().deviceSettings,
    leases: { store: labStores().leases, stores, audit },
    sources: [source],
    maxSessions: () => 0,
    retentionDays: { commands: () => 30, sessions: () => 365 },
    ...{ clock, log },
  });
  const care = new OutOfService({ store: labStores().care, lab, stores, audit, clock, log });
  const probe = async (udid: string): Promise<ProbeResult> => {
    const fault = faultOf(udid);
    if (fault === 'hangs') return 'silent';
    return fault === 'empty battery' ? { ...WELL, battery: 4, isCharging: false } : WELL;
  };
  const probes = new HealthProbes({
    ...{ devices: lab.devices, leases: lab.heldLeases, care, probe, seconds: 60, clock, log },
    limits: { minBattery: 15, maxTemperature: 50 },
  });
  const refusals = new RefusedCreates({ care, clock, log });
  lab.creates.onCreate((result, udid, ownerId) => refusals[result](udid, ownerId));
  const shell = {
    run: async (udid: string, command: string): Promise<string> => {
      if (faultOf(udid) === 'hangs') throw new Error('the phone does not answer');
      const installed = packages.get(udid) as Set<string>;
      const mark = /^echo (svc\w+):/.exec(command)?.[1];
      const list = [...installed].map((name) => `package:${name}\n`).join('');
      if (mark !== undefined)
        return `${mark}:packages\n${list}${mark}:listed\n${mark}:sdk\n34\n${mark}:end\n`;
      if (faultOf(udid) !== 'keeps an app')
        installed.delete(/^pm uninstall '(.*)'$/.exec(command)?.[1] ?? '');
      return 'Success';
    },
  };
  const cleaner = new PhoneCleaner({
    ...{ store: labStores().cleaning, stores, lab, holders: leaseHolders(lab.heldLeases), ofHub: null, care },
    ...{ shell, mode: () => 'apps', isOn: () => true, clock, log },
  });
  lab.creates.cleaner = cleaner;
  lab.start();
  const caller = (index: number): Caller => ({
    account: accounts[index] as unknown as Caller['account'],
    credential: NO_CREDENTIAL,
    scopes: scopeSet(['read', 'sessions', 'devices']),
    ...{ expiresAt: null, grantsUntil: null, teamId: null, extended: false },
    from: { address: null, peer: null, requestId: null },
  });
  const pass = async () => {
    clock.time += STEP;
    care.sweep();
    if ((clock.time - begin) % MINUTE === 0) await probes.round();
    cleaner.sweep();
    for (let turn = 0; turn < 3; turn++) await settle();
  };
  return { lab, care, clock, packages, faultOf, caller, pass };
}

it('a night with 20 phones, 4 of which go bad in different ways, and 2,000 sessions: no one waits on a bad phone twice, no phone is lost, and every phone is clean between holders (contract 17.2)', async () => {
  const udids = Array.from({ length: 20 }, (_, index) => `phone-${String(index + 1).padStart(2, '0')}`);
  const people = Array.from({ length: 30 }, (_, index) => `person${index}`);
  const night = nightLab(udids, people);
  const { lab, care, clock, packages } = night;
  let seed = 7;
  const below = (most: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor(seed / 65_536) % most;
  };
  const running: { id: string; until: number }[] = [];
  const used = new Set<string>();
  const outReasons = new Map<string, Set<string>>();
  const unclean: string[] = [];
  const refused: string[] = [];
  const metBad = new Map<string, number>();
  let started = 0;
  let requests = 0;

  const create = async (person: number): Promise<void> => {
    requests += 1;
    const id = `s${requests}`;
    const start: StartSession<string> = async (wanted) => {
      const udid = wanted.device?.udid as string;
      const fault = night.faultOf(udid);
      if (fault === 'refuses creates' || fault === 'hangs') {
        metBad.set(id, (metBad.get(id) ?? 0) + 1);
        return { refused: 'the instrumentation did not start', fault: 'phone' };
      }
      const installed = packages.get(udid) as Set<string>;
      const foreign = [...installed].filter(
        (name) => !OWN.includes(name) && !name.startsWith(`com.person${person}.`),
      );
      if (foreign.length > 0) unclean.push(`${id} on ${udid}: ${foreign.join()}`);
      installed.add(`com.person${person}.app${requests}`);
      used.add(udid);
      return await sampleStart(id)(wanted);
    };
    const admission = sampleAdmission({ caller: night.caller(person) });
    const outcome = await lab.creates
      .createSession(admission, { alwaysMatch: { platformName: 'Android' } }, start)
      .catch((error: Error) => error.message);
    if (typeof outcome === 'string') {
      if (outcome !== 'every phone that fits is busy') refused.push(outcome);
    } else if ('refused' in outcome) refused.push(`${id}: ${outcome.refused}`);
    else {
      started += 1;
      running.push({ id, until: clock.time + MINUTE + below(2 * MINUTE) });
    }
  };

  const end = clock.time + 10 * HOUR;
  while (started < SESSIONS || clock.time < end) {
    expect(clock.time).toBeLessThan(end + 10 * HOUR);
    for (const session of running.filter(({ until }) => until <= clock.time)) {
      running.splice(running.indexOf(session), 1);
      lab.recordEnd(session.id, { category: null, reason: null });
    }
    const wanted = started < SESSIONS ? below(2) : 0;
    for (let each = 0; each < wanted; each++) {
      const creating = create(below(people.length));
      for (let turn = 0; turn < 3; turn++) await settle();
      await creating;
    }
    await night.pass();
    for (const udid of udids) {
      const reason = care.on(udid)?.reason.replace(/\d+/, 'N');
      if (reason !== undefined) outReasons.set(udid, (outReasons.get(udid) ?? new Set()).add(reason));
    }
  }
  for (const { id } of running.splice(0)) lab.recordEnd(id, { category: null, reason: null });
  for (let step = 0; step < (2 * HOUR) / STEP; step++) await night.pass();

  expect(started).toBe(SESSIONS);
  expect(used.size).toBe(udids.length);
  expect(unclean).toEqual([]);
  // Each request that met a bad phone was served by another one, so no one got a refusal of a driver.
  expect(refused).toEqual([]);
  expect([...metBad.values()].filter((times) => times > 1)).toEqual([]);
  expect(metBad.size).toBeGreaterThan(0);
  expect(Object.fromEntries([...outReasons].map(([udid, reasons]) => [udid, [...reasons].sort()]))).toEqual({
    'phone-03': ['its battery has N % and does not charge'],
    'phone-07': ['the driver refused N creates in a row'],
    // It hung during a session, so its cleaning was the first to notice.
    'phone-12': [expect.stringContaining('does not answer')],
    'phone-18': [expect.stringContaining('is still on it')],
  });
  expect(udids.filter((udid) => lab.devices.availabilityOf(udid) !== 'free')).toEqual([]);
  expect(udids.filter((udid) => [...(packages.get(udid) ?? [])].join() !== OWN.join())).toEqual([]);
});
