import { Audit, type Caller, NO_CREDENTIAL, scopeSet } from '@svc/auth-core';
import { sampleAccount, seededRandom, silentLog } from '@svc/auth-core/testing';
import { labStores, memoryStores } from '@svc/store-sqlite/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import { PhoneCleaner } from '../src/care/cleaning/phone-cleaner.ts';
import { HubHolders, hubHolder, leaseHolders } from '../src/care/cleaning/phone-holders.ts';
import { OutOfService } from '../src/care/out-of-service.ts';
import { Leases } from '../src/control/leases.ts';
import { DeviceLab } from '../src/device-lab.ts';
import { listedDevices } from '../src/sources/listed-devices.ts';
import { sampleAdmission, sampleStart } from '../src/testing/index.ts';

const UDID = 'phone-1';
const SECOND = 1_000;
const settle = () => new Promise(setImmediate);

/** A phone that has packages, and can refuse to uninstall some of them. */
class FakePhone {
  readonly packages = new Set(['com.lab', 'io.appium.settings']);
  readonly stuck = new Set<string>();
  readonly commands: string[] = [];
  isDown = false;
  gate: Promise<void> = Promise.resolve();

  readonly run = async (_udid: string, command: string): Promise<string> => {
    if (this.isDown) throw new Error('the adb server does not answer');
    this.commands.push(command);
    await this.gate;
    const mark = /^echo (svc\w+):/.exec(command)?.[1];
    if (mark !== undefined) {
      const list = [...this.packages].map((name) => `package:${name}\n`).join('');
      return `${mark}:packages\n${list}${mark}:listed\n${mark}:sdk\n34\n${mark}:end\n`;
    }
    const name = /^pm uninstall '(.*)'$/.exec(command)?.[1] ?? '';
    if (!this.stuck.has(name)) this.packages.delete(name);
    return 'Success';
  };
}

/** What is kept over restarts of the server. */
function lasting() {
  const stores = memoryStores();
  const people = ['ana', 'bob'].map((name) => sampleAccount(name));
  stores.transaction((tx) => {
    for (const account of people) tx.accounts.insert(account);
  });
  return {
    stores,
    people,
    clock: { time: 1_000_000, now: () => kept.clock.time },
    phone: new FakePhone(),
    rows: labStores().cleaning,
    care: labStores().care,
    leases: labStores().leases,
    sessions: labStores().sessions,
    devices: labStores().deviceSettings,
    mode: 'apps' as 'off' | 'apps' | 'data',
  };
}

let kept: ReturnType<typeof lasting>;

function started(ofHub: HubHolders | null = null) {
  const { stores, people, clock } = kept;
  const log = silentLog();
  const random = seededRandom(1);
  const audit = new Audit(stores, clock, random);
  const source = listedDevices('phones', [
    {
      udid: UDID,
      name: 'P',
      platform: 'Android',
      osVersion: '14',
      node: null,
      mjpegUrl: null,
      h264Url: null,
      logs: 'adb',
    },
  ]);
  const lab = new DeviceLab({
    sessions: kept.sessions,
    commands: labStores().commands,
    deviceSettings: kept.devices,
    leases: { store: kept.leases, stores, audit },
    sources: [source],
    maxSessions: () => 0,
    retentionDays: { commands: () => 30, sessions: () => 365 },
    ...{ clock, log },
  });
  const care = new OutOfService({ store: kept.care, lab, stores, audit, clock, log });
  const cleaner = new PhoneCleaner({
    ...{
      store: kept.rows,
      stores,
      lab,
      holders: ofHub ?? leaseHolders(lab.heldLeases),
      ofHub,
      care,
      shell: kept.phone,
      clock,
      log,
    },
    mode: () => kept.mode,
    isOn: () => true,
  });
  lab.creates.cleaner = cleaner;
  lab.start();
  const caller = (name: string): Caller => ({
    account: people.find(({ email }) => email.startsWith(name)) as unknown as Caller['account'],
    credential: NO_CREDENTIAL,
    scopes: scopeSet(['read', 'sessions', 'devices']),
    expiresAt: null,
    grantsUntil: null,
    teamId: null,
    extended: false,
    from: { address: null, peer: null, requestId: null },
  });
  return {
    lab,
    care,
    leases: new Leases({ held: lab.heldLeases, lab, clock, random, mostLeases: 0 }),
    caller,
    /** @returns the id of the session, or the message of the refusal */
    create: async (name: string | null, keep = false): Promise<string> => {
      const id = `s${kept.sessions.rows.length + 1}`;
      const admission = sampleAdmission({ caller: name === null ? null : caller(name), keep });
      const made = await lab.creates
        .createSession(admission, {}, sampleStart(id))
        .catch((error: Error) => error.message);
      await settle();
      return typeof made === 'string' ? made : id;
    },
    /** Creates a session as the hub of this node does. The other values are those of `create`. */
    createForHub: (account: string, isLeased: boolean): Promise<string> => {
      const id = `s${kept.sessions.rows.length + 1}`;
      const fromHub = { udid: UDID, guarded: true, holderId: hubHolder(account), isLeased };
      return lab.creates.createSession(sampleAdmission({ fromHub }), {}, sampleStart(id)).then(
        () => id,
        (error: Error) => error.message,
      );
    },
    plan: () => cleaner.planFor(UDID),
    end: (id: string) => void lab.recordEnd(id, { category: null, reason: null }),
    pass: async (seconds: number) => {
      for (let second = 0; second < seconds; second += 1) {
        clock.time += SECOND;
        cleaner.sweep();
        await settle();
        await settle();
      }
    },
    status: () => lab.devices.statusOf(UDID),
    cleanOf: (session: string) => kept.sessions.rows.find(({ id }) => id === session)?.clean,
  };
}

beforeEach(() => {
  kept = lasting();
});

describe('a phone between two holders', () => {
  it('a phone between two holders is busy until the apps of the last session are gone, and its session tells them (contract 17.3)', async () => {
    const lab = started();
    const id = await lab.create('ana');
    expect(lab.cleanOf(id)).toEqual({ state: 'pending', removed: [], at: null });
    kept.phone.packages.add('com.left').add('io.appium.uiautomator2.server');
    lab.end(id);
    expect(lab.status()).toBe('busy');
    await lab.pass(8);
    expect(lab.status()).toBe('free');
    expect([...kept.phone.packages]).toEqual([
      'com.lab',
      'io.appium.settings',
      'io.appium.uiautomator2.server',
    ]);
    expect(lab.cleanOf(id)).toEqual({
      state: 'cleaned',
      removed: ['com.left'],
      at: 1_006_000,
    });
    expect(kept.rows.rows.length).toBe(0);
  });

  it('a phone between two holders is not cleaned between sessions of one account, but without delay for another one (contract 17.3)', async () => {
    const lab = started();
    const first = await lab.create('ana');
    kept.phone.packages.add('com.left');
    lab.end(first);
    await lab.pass(2);
    const second = await lab.create('ana');
    expect([second, kept.phone.packages.has('com.left')]).toEqual(['s2', true]);
    lab.end(second);
    expect(await lab.create('bob')).toBe('every phone that fits is busy');
    await lab.pass(1);
    expect(kept.phone.packages.has('com.left')).toBe(false);
    expect(await lab.create('bob')).toBe('s3');
    for (const id of [first, second]) expect(lab.cleanOf(id)?.removed).toEqual(['com.left']);
  });

  it('a phone between two holders is busy for its last holder, too, while it is being cleaned (contract 17.3)', async () => {
    const lab = started();
    lab.end(await lab.create('ana'));
    let open: () => void = () => undefined;
    kept.phone.gate = new Promise((resolve) => {
      open = resolve;
    });
    await lab.pass(7);
    expect(await lab.create('ana')).toBe('every phone that fits is busy');
    open();
    await lab.pass(1);
    expect(await lab.create('ana')).toBe('s2');
  });

  it('a phone between two holders is cleaned at the end of its lease and not between the sessions in it (contract 17.3)', async () => {
    const lab = started();
    const { lease } = lab.leases.create(lab.caller('ana'), { udid: UDID, minutes: 5 });
    await settle();
    kept.phone.packages.add('com.left');
    for (let count = 0; count < 2; count += 1) {
      lab.end(await lab.create('ana'));
      await lab.pass(20);
      expect([kept.phone.packages.has('com.left'), lab.status()]).toEqual([true, 'free']);
    }
    lab.leases.end(lab.caller('ana'), lease.id);
    expect(lab.status()).toBe('busy');
    expect(() => lab.leases.create(lab.caller('bob'), { udid: UDID, minutes: 5 })).toThrow();
    await lab.pass(1);
    expect([kept.phone.packages.has('com.left'), lab.status()]).toEqual([false, 'free']);
    expect(lab.leases.create(lab.caller('bob'), { udid: UDID, minutes: 5 }).lease.udid).toBe(UDID);
  });

  it('a phone between two holders is cleaned after each session that has no owner (contract 17.3)', async () => {
    const lab = started();
    lab.end(await lab.create(null));
    kept.phone.packages.add('com.left');
    await lab.pass(1);
    expect([kept.phone.packages.has('com.left'), lab.status()]).toEqual([false, 'free']);
  });

  it('a phone between two holders is cleaned after a start that the driver refused (contract 17.3)', async () => {
    const lab = started();
    const refuse = async () => {
      kept.phone.packages.add('com.left');
      return { refused: 'no' };
    };
    await lab.lab.creates.createSession(sampleAdmission({ caller: lab.caller('ana') }), {}, refuse);
    expect(lab.status()).toBe('busy');
    await lab.pass(1);
    expect([kept.phone.packages.has('com.left'), lab.status()]).toEqual([false, 'free']);
  });

  it('a phone between two holders stays as it is if an Admin wants so, or if cleaning is off (contract 17.3)', async () => {
    const lab = started();
    const id = await lab.create('ana', true);
    kept.phone.packages.add('com.left');
    lab.end(id);
    await lab.pass(7);
    expect([kept.phone.packages.has('com.left'), lab.status()]).toEqual([true, 'free']);
    expect(lab.cleanOf(id)).toMatchObject({ state: 'kept', removed: [] });
    kept.mode = 'off';
    const next = await lab.create('bob');
    lab.end(next);
    expect([lab.status(), lab.cleanOf(next)]).toEqual(['free', undefined]);
  });
});

describe('a dry run', () => {
  it('a dry run tells what a cleaning would remove and why, and removes nothing (contract 17.3)', async () => {
    const lab = started();
    expect(await lab.plan()).toEqual({ since: null, isKept: false, items: [] });
    const id = await lab.create('ana');
    for (const name of ['com.left', 'io.appium.helper']) kept.phone.packages.add(name);
    const why = 'it was not installed when the holder began';
    expect(await lab.plan()).toEqual({ since: 1_000_000, isKept: false, items: [{ name: 'com.left', why }] });
    expect(kept.phone.packages.has('com.left')).toBe(true);
    lab.end(id);
    await lab.pass(7);
    expect(lab.cleanOf(id)?.removed).toEqual(['com.left']);
    expect((await lab.plan())?.since).toBeNull();
    kept.phone.isDown = true;
    expect((await lab.plan())?.since).toBeNull();
  });

  it('a dry run reads the phone once for several callers (contract 17.3)', async () => {
    const lab = started();
    await lab.create('ana');
    kept.phone.commands.length = 0;
    await Promise.all([lab.plan(), lab.plan(), lab.plan()]);
    expect(kept.phone.commands).toHaveLength(1);
  });
});

describe('a phone that cannot be cleaned', () => {
  it('a phone that cannot be cleaned is out of service, and returns when it is clean (contract 17.3)', async () => {
    const lab = started();
    const id = await lab.create('ana');
    kept.phone.packages.add('com.stuck');
    kept.phone.stuck.add('com.stuck');
    lab.end(id);
    await lab.pass(20);
    expect(lab.care.on(UDID)).toMatchObject({
      reason: 'it could not be cleaned: com.stuck is still on it',
      byId: null,
    });
    expect(lab.cleanOf(id)).toMatchObject({ state: 'failed' });
    for (const name of ['ana', 'bob', null])
      expect(await lab.create(name)).toBe('every phone that fits is busy');
    kept.phone.stuck.clear();
    await lab.pass(5 * 60);
    expect([lab.care.on(UDID), lab.status()]).toEqual([null, 'free']);
    expect(lab.cleanOf(id)).toMatchObject({ state: 'cleaned', removed: ['com.stuck'] });
  });

  it('a phone that cannot be cleaned is out of service once if it is not known what was on it before (contract 17.3)', async () => {
    const lab = started();
    kept.phone.isDown = true;
    const id = await lab.create('ana');
    kept.phone.isDown = false;
    kept.phone.packages.add('com.left');
    lab.end(id);
    await lab.pass(8);
    expect(lab.care.on(UDID)?.reason).toBe('it could not be cleaned: what was on it before is not known');
    expect(kept.phone.packages.has('com.lab')).toBe(true);
    lab.care.putBack(UDID, 'looked at it');
    await lab.pass(8);
    expect([lab.care.on(UDID), lab.status()]).toEqual([null, 'free']);
  });
});

describe('a phone whose server was killed', () => {
  it('a phone whose server was killed is not touched while another server of the host holds it (contract 14.8, 17.3)', async () => {
    const before = started();
    await before.create('ana');
    kept.phone.packages.add('com.left');
    const after = started();
    let isElsewhere = true;
    after.lab.holdOnHost = async () => !isElsewhere;
    await after.pass(3);
    expect([kept.phone.packages.has('com.left'), after.status()]).toEqual([true, 'busy']);
    isElsewhere = false;
    await after.pass(1);
    expect([kept.phone.packages.has('com.left'), after.status()]).toEqual([false, 'free']);
  });

  it('a phone whose server was killed is cleaned after the restart before anyone gets it (contract 17.3)', async () => {
    const before = started();
    const id = await before.create('ana');
    kept.phone.packages.add('com.left');
    const after = started();
    expect(after.status()).toBe('busy');
    for (const name of ['ana', 'bob']) expect(await after.create(name)).toBe('every phone that fits is busy');
    await after.pass(1);
    expect([kept.phone.packages.has('com.left'), after.status()]).toEqual([false, 'free']);
    expect(after.cleanOf(id)).toMatchObject({ state: 'cleaned', removed: ['com.left'] });
  });

  it('a phone whose server was killed stays with the holder of its lease (contract 17.3)', async () => {
    const before = started();
    before.leases.create(before.caller('ana'), { udid: UDID, minutes: 5 });
    await settle();
    kept.phone.packages.add('com.left');
    const after = started();
    await after.pass(10);
    expect([kept.phone.packages.has('com.left'), after.status()]).toEqual([true, 'free']);
    expect(await after.create('ana')).toBe('s1');
  });
});

describe('a phone of a node', () => {
  const leasesOf = (...accounts: string[]) =>
    accounts.map((account) => ({ udid: UDID, ownerId: hubHolder(account) as string }));

  it('a phone of a node is cleaned after the sessions of one account of the hub, and not between them (contract 17.3)', async () => {
    const ofHub = new HubHolders();
    ofHub.take([], ofHub.version);
    const lab = started(ofHub);
    const first = await lab.createForHub('u1', false);
    kept.phone.packages.add('com.left');
    lab.end(first);
    await lab.pass(2);
    const second = await lab.createForHub('u1', false);
    expect([second, kept.phone.packages.has('com.left')]).toEqual(['s2', true]);
    lab.end(second);
    // A local account of the same id is someone else.
    expect(lab.lab.devices.availabilityOf(UDID, 'u1')).toBe('busy');
    const other = lab.createForHub('u2', false);
    await lab.pass(2);
    expect([await other, kept.phone.packages.has('com.left')]).toEqual(['s3', false]);
    expect(lab.cleanOf(first)).toMatchObject({ state: 'cleaned', removed: ['com.left'] });
  });

  it('a phone of a node keeps what is on it during a lease of the hub, and is cleaned after it (contract 17.3)', async () => {
    const ofHub = new HubHolders();
    ofHub.take([], ofHub.version);
    const lab = started(ofHub);
    ofHub.take(leasesOf('u1'), ofHub.version);
    await settle();
    kept.phone.packages.add('com.left');
    for (let count = 0; count < 2; count += 1) {
      lab.end(await lab.createForHub('u1', true));
      await lab.pass(20);
      expect(kept.phone.packages.has('com.left')).toBe(true);
    }
    ofHub.take([], ofHub.version);
    expect(lab.status()).toBe('busy');
    await lab.pass(8);
    expect([kept.phone.packages.has('com.left'), lab.status()]).toEqual([false, 'free']);
  });

  it('a phone of a node is read before the holder of a lease uses its adb, before the node has heard of the lease (contract 17.3)', async () => {
    const ofHub = new HubHolders();
    const lab = started(ofHub);
    ofHub.take([], ofHub.version);
    const report = ofHub.version;
    expect(await lab.lab.lendToHub(UDID, 'u1')).toBe(true);
    kept.phone.packages.add('com.left');
    // This response was sent before the lease began.
    ofHub.take([], report);
    await lab.pass(20);
    expect(kept.phone.packages.has('com.left')).toBe(true);
    const other = lab.lab.lendToHub(UDID, 'u2');
    await lab.pass(2);
    expect([await other, kept.phone.packages.has('com.left')]).toEqual([true, false]);
  });

  it('a phone of a node is not lent while it cannot be cleaned in time (contract 17.3)', async () => {
    const ofHub = new HubHolders();
    ofHub.take([], ofHub.version);
    const lab = started(ofHub);
    lab.end(await lab.createForHub('u1', false));
    kept.phone.gate = new Promise(() => undefined);
    const lent = lab.lab.lendToHub(UDID, 'u2');
    await lab.pass(6);
    expect(await lent).toBe(false);
  });

  it('a phone of a node is not cleaned after a restart of the node before its hub has said who leases it (contract 17.3)', async () => {
    const before = new HubHolders();
    before.take(leasesOf('u1'), before.version);
    const stopped = started(before);
    await stopped.lab.lendToHub(UDID, 'u1');
    kept.phone.packages.add('com.left');
    const ofHub = new HubHolders();
    const lab = started(ofHub);
    await lab.pass(60);
    expect(kept.phone.packages.has('com.left')).toBe(true);
    ofHub.take(leasesOf('u1'), ofHub.version);
    await lab.pass(60);
    expect(kept.phone.packages.has('com.left')).toBe(true);
    ofHub.take([], ofHub.version);
    await lab.pass(8);
    expect([kept.phone.packages.has('com.left'), lab.status()]).toEqual([false, 'free']);
  });
});
