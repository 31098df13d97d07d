import { sampleAdmission, sampleStart } from '@svc/device-lab/testing';
import { AndroidPhones } from '@svc/lab/phones';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openApp, type RunningApp } from '../support/app.ts';
import { startReceiver } from '../support/receiver.ts';

const UDID = 'R58N';
const OTHER = 'R58M';
const patient = { timeout: 15_000, interval: 100 };

let phones: AndroidPhones;
let running: RunningApp;
let headers: Record<string, string>;

beforeAll(async () => {
  phones = await AndroidPhones.start({ phones: [{ serial: UDID }, { serial: OTHER }] });
  running = await openApp({
    SVC_ADB: `127.0.0.1:${phones.adb.port}`,
    SVC_PROBE_SECONDS: '1',
    SVC_WEBHOOK_ALLOW: '127.0.0.1',
  });
  const { cookie } = await running.services.modules.accounts.offers.passwordSignIn.open(
    { email: 'admin@svc.local', password: 'svc-admin-please-change', network: '', userAgent: null },
    { address: null, peer: null, requestId: null },
  );
  headers = { host: 'lab', origin: 'http://lab', cookie: `svc_dashboard_session=${cookie}` };
}, 60_000);
afterAll(async () => {
  await running.close();
  await phones.stop();
});

const call = async (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, payload?: object) => {
  const answer = await running.app.inject({
    ...{ method, url: `/svc/api${path}`, headers },
    ...(payload === undefined ? {} : { payload }),
  });
  return { status: answer.statusCode, body: answer.body === '' ? null : JSON.parse(answer.body) };
};
const phone = async (udid = UDID) =>
  (await call('GET', '/devices')).body.find((each: { udid: string }) => each.udid === udid);
const lease = () => call('POST', '/leases', { udid: UDID, minutes: 5 });
const probesOf = (udid: string) =>
  phones.adb.requests.filter((each) => each.includes('svc:battery') && each.includes(udid)).length;

const WELL = { level: 90, temperature: 29.5, isCharging: false, health: 2 };
const mine = () => phones.phone(UDID);
const heal = () => {
  mine().battery = WELL;
  mine().storage = { total: 118_000_000, used: 40_000_000 };
  mine().properties.delete('sys.boot_completed');
};

describe('a scripted phone of the adb server', () => {
  it('a scripted phone of the adb server shows its health, and is out of service until a probe finds it well (contract 17.2)', async () => {
    await expect
      .poll(async () => (await phone())?.health, patient)
      .toEqual({
        battery: 90,
        temperature: 29.5,
        storageFree: 78_000_000 * 1024,
        checkedAt: expect.stringMatching(/^\d{4}-.*Z$/),
      });
    const seen: string[] = [];
    const forget = running.services.modules.lab.offers.lab.events.subscribe(
      ({ type }) => void seen.push(type),
    );
    phones.phone(UDID).battery = { level: 7, temperature: 31, isCharging: false, health: 2 };
    const reason = 'its battery has 7 % and does not charge';
    await expect
      .poll(async () => (await phone()).outOfService, patient)
      .toMatchObject({ reason, by: null, until: null });
    expect(await lease()).toMatchObject({ status: 409, body: { error: 'device_busy' } });
    phones.phone(UDID).battery = { level: 7, temperature: 31, isCharging: true, health: 2 };
    await expect.poll(async () => (await phone()).outOfService, patient).toBeNull();
    forget();
    expect(seen.filter((type) => type.endsWith('healthy'))).toEqual(['device_unhealthy', 'device_healthy']);
    const { items } = (await call('GET', '/audit?limit=50')).body;
    const rows = items.filter(({ event }: { event: string }) => /^device_(?:out|in)/.test(event));
    expect(rows.map(({ event, reason }: Record<string, string>) => [event, reason]).reverse()).toEqual([
      ['device_out_of_service', reason],
      ['device_in_service', 'a probe found it well'],
    ]);
  });

  it.each([
    [
      'is hotter than the limit',
      () => void Object.assign(mine(), { battery: { ...WELL, temperature: 51 } }),
      'its battery has 51 °C',
    ],
    [
      'has less than 500 MB',
      () => void Object.assign(mine(), { storage: { total: 118_000_000, used: 117_600_000 } }),
      'it has 409 MB of free storage',
    ],
    [
      'has not finished booting',
      () => void mine().properties.set('sys.boot_completed', '0'),
      'it has not finished booting',
    ],
  ])(
    'a scripted phone of the adb server is out of service while it %s, and a webhook is told (contract 17.2)',
    async (_, spoil, reason) => {
      const receiver = await startReceiver();
      const events = ['device_unhealthy', 'device_healthy'];
      const { body } = await call('POST', '/webhook', { url: receiver.url, events });
      spoil();
      await expect.poll(async () => (await phone()).outOfService?.reason, patient).toBe(reason);
      heal();
      await expect.poll(async () => (await phone()).outOfService, patient).toBeNull();
      await receiver.until(({ length }) => length === 2);
      const { name } = await phone();
      expect(receiver.received.map(({ json }) => json)).toEqual([
        { event: 'device_unhealthy', payload: { udid: UDID, name, reason } },
        { event: 'device_healthy', payload: { udid: UDID, name, reason: 'a probe found it well' } },
      ]);
      await call('DELETE', `/webhook/${body.id}`);
      await receiver.close();
    },
  );

  it('a battery at the limit and one that charges keep it in service (contract 17.2)', async () => {
    for (const battery of [
      { ...WELL, level: 15 },
      { ...WELL, level: 3, isCharging: true },
      { ...WELL, temperature: 50 },
    ]) {
      mine().battery = battery;
      const before = probesOf(UDID);
      await expect.poll(() => probesOf(UDID), patient).toBeGreaterThan(before + 1);
      expect((await phone()).outOfService).toBeNull();
    }
    heal();
  });

  it('a scripted phone of the adb server is not probed while it is leased or a session runs on it (contract 17.2)', async () => {
    const { lab } = running.services.modules.lab.offers;
    const inUse = async (use: () => Promise<() => Promise<unknown>>) => {
      const end = await use();
      const before = probesOf(UDID);
      const others = probesOf(OTHER);
      // A probe of the phone may have been sent at the moment at which the use began.
      await expect.poll(() => probesOf(OTHER), patient).toBeGreaterThan(others + 2);
      expect(probesOf(UDID)).toBeLessThanOrEqual(before + 1);
      await end();
      await expect.poll(() => probesOf(UDID), patient).toBeGreaterThan(before + 1);
    };
    await inUse(async () => {
      const { leaseId } = (await lease()).body;
      return () => call('DELETE', `/leases/${leaseId}`);
    });
    await inUse(async () => {
      const wanted = { alwaysMatch: { 'appium:udid': UDID } };
      const outcome = await lab.creates.createSession(sampleAdmission(), wanted, sampleStart('s1'));
      expect(outcome).toHaveProperty('session.device.udid', UDID);
      return () => lab.endSession('s1', { category: null, reason: null });
    });
  });

  it('a scripted phone of the adb server is out of service when it does not answer twice, and back when it answers (contract 17.2)', async () => {
    const answers = phones.phone(OTHER).answers;
    answers.unshift({ command: /svc:battery/, output: () => 'error: closed' });
    await expect
      .poll(async () => (await phone(OTHER)).outOfService?.reason, patient)
      .toBe('it does not answer');
    answers.shift();
    await expect.poll(async () => (await phone(OTHER)).outOfService, patient).toBeNull();
  });
});
