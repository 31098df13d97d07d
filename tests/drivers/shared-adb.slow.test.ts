import { createRequire } from 'node:module';
import { ANDROID_12, ANDROID_14, AndroidPhones } from '@svc/lab/phones';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type NetworkPhone, networkPhone } from '../devices/support/network-phone.ts';
import { type RealAdb, startAdb } from '../devices/support/real-adb.ts';
import { freePort, freshDataDir, type RunningServer, runNode } from '../support/lab.ts';
import { read, until } from '../support/records.ts';
import {
  createSession,
  makePerson,
  type Options,
  type Person,
  pairOf,
  superAdmin,
} from '../support/sessions.ts';
import { drive } from './support/driven-session.ts';
import { ANY_ANDROID, startLabOnAdb } from './support/phone-lab.ts';

const { resolve } = createRequire(import.meta.url);
const ROUNDS = 6;

interface Finding {
  readonly check: string;
  readonly outcome: string;
  readonly message: string;
}
type Report = { readonly findings: readonly Finding[] };
type Lab = RunningServer & { readonly ana: Person };

/** Two labs of one host, whose drivers and sources use the same Debian adb server with two scripted phones. */
describe('two labs that share an adb server', () => {
  let phones: AndroidPhones;
  let adb: RealAdb;
  let plugged: NetworkPhone[];
  let labs: Lab[];

  beforeAll(async () => {
    phones = await AndroidPhones.start({ phones: [ANDROID_12, ANDROID_14] });
    adb = await startAdb(await freePort());
    plugged = await Promise.all(phones.all.map(({ serial }) => networkPhone(phones, serial)));
    for (const { serial } of plugged) await adb.command('connect', serial);
    labs = await Promise.all([openLab(), openLab()]);
  }, 120_000);
  afterAll(async () => {
    await Promise.all((labs ?? []).map((lab) => lab.stop()));
    await adb?.stop();
    await Promise.all((plugged ?? []).map((phone) => phone.unplug()));
    await phones?.stop();
  });

  async function openLab(): Promise<Lab> {
    const lab = await startLabOnAdb(adb);
    const ana = await makePerson(lab, await superAdmin(lab), 'ana@example.org');
    await until(
      () => statuses({ ...lab, ana }),
      (found) => found.length === 2,
    );
    return { ...lab, ana };
  }

  const statuses = async ({ ana, ...lab }: Lab) =>
    (await read<{ udid: string; status: string }[]>(lab, ana.headers, '/devices')).map(
      ({ udid, status }) => [udid, status] as const,
    );

  const create = async (lab: Lab, more: Options = {}) => {
    const capabilities = { ...ANY_ANDROID, ...more };
    const { status, body } = await createSession(lab.url, pairOf(lab.ana), { capabilities });
    const { sessionId: id, message, capabilities: granted } = body.value;
    return { status, id, message, phone: (granted as Options | undefined)?.deviceUDID };
  };

  const end = (lab: Lab, id: string) => fetch(`${lab.url}/session/${id}`, { method: 'DELETE' });

  /** Runs `svc doctor` with the settings of a further server of the adb server. */
  async function doctor(): Promise<Finding | undefined> {
    const env = { SVC_DATA_DIR: freshDataDir(), SVC_ADB: `127.0.0.1:${adb.port}` };
    const run = runNode(resolve('@svc/cli/main.js'), { args: ['doctor', '--json'], env });
    await run.exited;
    const report = JSON.parse(run.stdout()) as Report;
    return report.findings.find(({ check }) => check === 'adb-server');
  }

  it('svc doctor counts both servers, and says that a phone of one is busy for the other (contract 14.8)', async () => {
    await expect.poll(doctor).toMatchObject({
      outcome: 'warning',
      message: `2 servers share the adb server at 127.0.0.1:${adb.port}; a phone that one of them holds is busy for the others`,
    });
  });

  it('a phone on which one lab drives a session is busy in the other lab until the session has ended (contract 14.8)', async () => {
    const [first, second] = labs as [Lab, Lab];
    const [{ serial: phone }, { serial: other }] = plugged as [NetworkPhone, NetworkPhone];
    const wanted = { 'appium:udid': phone };
    const session = await drive(first, first.ana, { ...ANY_ANDROID, ...wanted });
    expect(session.capabilities).toMatchObject({ deviceUDID: phone });
    expect(await create(second, wanted)).toMatchObject({ status: 500, message: 'the phone is busy' });
    await expect.poll(() => statuses(second)).toContainEqual([phone, 'busy']);
    const elsewhere = await drive(second, second.ana, ANY_ANDROID);
    expect(elsewhere.capabilities).toMatchObject({ deviceUDID: other });
    expect(await create(first)).toMatchObject({ status: 500 });
    await session.end();
    await expect.poll(() => statuses(second)).toContainEqual([phone, 'free']);
    const taken = await drive(second, second.ana, { ...ANY_ANDROID, ...wanted });
    expect(taken.capabilities).toMatchObject({ deviceUDID: phone });
    await taken.end();
    await elsewhere.end();
  });

  it('one of two leases that request one phone from both labs at the same moment gets it each time (contract 14.8)', async () => {
    const [{ serial: udid }] = plugged as [NetworkPhone];
    for (let round = 0; round < ROUNDS; round++) {
      const answers = await Promise.all(
        labs.map(async ({ api, ana: { cookie } }) => {
          const answer = await api('/leases', {
            method: 'POST',
            headers: { cookie },
            json: { udid, minutes: 5 },
          });
          return { api, cookie, status: answer.status, body: (await answer.json()) as Options };
        }),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
      expect(answers.find(({ status }) => status === 409)?.body.error).toBe('device_busy');
      for (const { api, cookie, body } of answers.filter(({ status }) => status === 201))
        await api(`/leases/${String(body.leaseId)}`, { method: 'DELETE', headers: { cookie } });
      await expect
        .poll(() => Promise.all(labs.map(statuses)))
        .toEqual([expect.arrayContaining([[udid, 'free']]), expect.arrayContaining([[udid, 'free']])]);
    }
  });

  it('one of two creates that request one phone from both labs at the same moment gets it each time (contract 14.8)', async () => {
    const [{ serial: phone }] = plugged as [NetworkPhone];
    const wanted = { 'appium:udid': phone };
    for (let round = 0; round < ROUNDS; round++) {
      const answers = await Promise.all(labs.map(async (lab) => ({ lab, ...(await create(lab, wanted)) })));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 500]);
      expect(answers.find(({ status }) => status === 500)?.message).toBe('the phone is busy');
      for (const { lab, id, status } of answers) if (status === 200) await end(lab, id);
    }
  });

  it('creates that ask both labs for any phone at the same moment get no phone twice (contract 14.8)', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const answers = await Promise.all(
        [...labs, ...labs].map(async (lab) => ({ lab, ...(await create(lab)) })),
      );
      const granted = answers.filter(({ status }) => status === 200);
      const taken = granted.map(({ phone }) => phone);
      expect(taken.length).toBeGreaterThan(0);
      expect(new Set(taken).size).toBe(taken.length);
      for (const { lab, id } of granted) await end(lab, id);
    }
  });
});
