import { silentLog } from '@svc/auth-core/testing';
import { labStores } from '@svc/store-sqlite/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import { CreateRefused } from '../src/create-refused.ts';
import { DeviceLab } from '../src/device-lab.ts';
import { NO_PATIENCE } from '../src/queue/phone-request.ts';
import { sampleAdmission, samplePhones, sampleStart } from '../src/testing/index.ts';

const FIRST = 'virtual-1';
const SECOND = 'virtual-2';
const OWNED = sampleAdmission();

let lab: DeviceLab;
let limit: number;

beforeEach(() => {
  limit = 0;
  const stores = labStores();
  lab = new DeviceLab({
    sessions: stores.sessions,
    commands: stores.commands,
    deviceSettings: stores.deviceSettings,
    sources: [samplePhones(2, 'virtual')],
    maxSessions: () => limit,
    retentionDays: { commands: () => 30, sessions: () => 365 },
    clock: { now: () => 7 },
    log: silentLog(),
  });
  lab.start();
});

const named = (udid: string) => ({ alwaysMatch: { 'appium:udid': udid } });
const reserved = (wanted: object) => lab.creates.reserveInTurn(OWNED, wanted, NO_PATIENCE);
const statuses = () => [FIRST, SECOND].map((udid) => lab.devices.statusOf(udid));

/** Runs a create whose phone was reserved for `before`, and whose capabilities are `after` when its session starts. */
async function create(before: object, after: object, id = 'a') {
  const reservation = await reserved(before);
  await lab.creates.createSession(OWNED, after, sampleStart(id), { reserved: reservation });
  return lab.sessions.byId(id)?.device?.udid;
}

describe('a create whose capabilities are rewritten after a phone was reserved', () => {
  it('a create with unchanged capabilities keeps its phone, although the other one is free (contract 14.3)', async () => {
    expect(await create(named(SECOND), named(SECOND))).toBe(SECOND);
    expect(statuses()).toEqual(['free', 'busy']);
  });

  it('a create that names another phone afterwards runs on that one, and the first is free (contract 14.1)', async () => {
    expect(await create(named(FIRST), named(SECOND))).toBe(SECOND);
    expect(statuses()).toEqual(['free', 'busy']);
  });

  it('a create for which no phone fits afterwards is refused, and its phone is free (contract 14.7)', async () => {
    await expect(create(named(FIRST), named('virtual-9'))).rejects.toThrow('no phone of this lab fits');
    expect(statuses()).toEqual(['free', 'free']);
    await create(named(SECOND), named(SECOND), 'b');
    await expect(create(named(FIRST), named(SECOND))).rejects.toThrow('the phone is busy');
    expect(statuses()).toEqual(['free', 'busy']);
  });

  it('a capability that only the lab decides on is refused if it is added afterwards (contract 14.1)', async () => {
    const added = { alwaysMatch: { 'appium:udid': FIRST, 'appium:avdArgs': '-x' } };
    await expect(create(named(FIRST), added)).rejects.toThrow(CreateRefused);
    expect(statuses()).toEqual(['free', 'free']);
  });

  it('a rewritten create is not refused because of the reservation that it gives back (specification 8.2)', async () => {
    limit = 1;
    expect(await create(named(FIRST), { ...named(FIRST), firstMatch: [{}] })).toBe(FIRST);
  });

  it('a waiting request does not get the phone of a rewritten create (contract 13)', async () => {
    const reservation = await reserved(named(FIRST));
    const gone = new AbortController();
    const waiting = lab.creates.reserveInTurn(OWNED, named(FIRST), { until: 60_000, gone: gone.signal });
    const refused = expect(waiting).rejects.toThrow();
    await lab.creates.createSession(OWNED, { ...named(FIRST), firstMatch: [{}] }, sampleStart('a'), {
      reserved: reservation,
    });
    expect(lab.sessions.byId('a')?.device?.udid).toBe(FIRST);
    expect(lab.queue.waiting).toBe(1);
    gone.abort();
    await refused;
  });

  it('one of several concurrent creates for a phone wins, rewritten or not (contract 6.4)', async () => {
    const creates = Array.from({ length: 6 }, (_, i) =>
      create(named(FIRST), i % 2 === 0 ? named(FIRST) : { ...named(FIRST), firstMatch: [{}] }, `s${i}`),
    );
    const results = await Promise.allSettled(creates);
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(lab.sessions.running()).toHaveLength(1);
    expect(statuses()).toEqual(['busy', 'free']);
  });

  it('a second create with the reservation of an earlier one gets a phone of its own (contract 14.1)', async () => {
    const reservation = await reserved(named(FIRST));
    const again = (id: string) =>
      lab.creates.createSession(OWNED, named(FIRST), sampleStart(id), { reserved: reservation });
    await again('a');
    await expect(again('b')).rejects.toThrow('the phone is busy');
    expect(lab.sessions.running()).toHaveLength(1);
  });
});
