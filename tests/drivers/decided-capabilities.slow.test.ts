import { ANDROID_12, ANDROID_14 } from '@svc/lab/phones';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { request } from '../support/lab.ts';
import { endOf, until } from '../support/records.ts';
import { createSession, makePerson, type Person, pairOf, superAdmin } from '../support/sessions.ts';
import { type PhoneLab, startPhoneLab } from './support/phone-lab.ts';

const START_MS = 60_000;
const UIA2 = { 'appium:automationName': 'UiAutomator2', platformName: 'Android' };

let lab: PhoneLab;
let rootCookie: string;
let ana: Person;

beforeAll(async () => {
  lab = await startPhoneLab({
    phones: [ANDROID_12, ANDROID_14],
    env: { SVC_DRIVER_PORTS: '27100-27107' },
  });
  rootCookie = await superAdmin(lab);
  ana = await makePerson(lab, rootCookie, 'ana@example.org');
}, 120_000);
afterAll(() => lab?.stop());

const create = (capabilities: object) =>
  createSession(lab.url, pairOf(ana), {
    capabilities: { 'appium:app': undefined, 'appium:deviceName': undefined, ...UIA2, ...capabilities },
  });
const end = (id: string) => request(`${lab.url}/session/${id}`, { method: 'DELETE' });
const statusOf = async (udid: string) => {
  const answer = await lab.api('/devices', { headers: { cookie: rootCookie } });
  return ((await answer.json()) as { udid: string; status: string }[]).find((each) => each.udid === udid)
    ?.status;
};

describe('an unmodified UiAutomator2 driver', () => {
  it(
    'an unmodified UiAutomator2 driver gets its ports and the address of the adb server from the lab, whatever its client sent (contract 14.1, 14.5)',
    async () => {
      const foreign = { 'appium:mjpegServerPort': 9_999, 'appium:appium:systemPort': 9_998 };
      const options = { options: { chromeDriverPort: 9_997 }, adbPort: 1 };
      const first = await create({ ...foreign, 'appium:udid': ANDROID_12.serial, 'appium:options': options });
      expect({ ...first.body }).toMatchObject({ value: { capabilities: { deviceUDID: ANDROID_12.serial } } });
      const second = await create({ ...foreign, 'appium:udid': ANDROID_14.serial });
      expect(second.status).toBe(200);
      const forwarded = [...lab.phones.adb.forwards().matchAll(/tcp:(\d+) /g)].map(([, port]) =>
        Number(port),
      );
      expect(new Set(forwarded).size).toBe(4);
      expect(forwarded.every((port) => port >= 27_100 && port <= 27_107)).toBe(true);
      expect(JSON.stringify([first.body, second.body])).not.toMatch(/999[789]/);

      await end(first.body.value.sessionId);
      await end(second.body.value.sessionId);
      expect(lab.phones.adb.forwards()).toBe('');
      for (let round = 0; round < 3; round++) {
        const again = await create({ 'appium:udid': ANDROID_12.serial });
        expect(again.status).toBe(200);
        await end(again.body.value.sessionId);
      }
    },
    START_MS,
  );

  it(
    'an unmodified UiAutomator2 driver runs no program of the host that its client names (contract 14.1)',
    async () => {
      const refused = await create({
        'appium:options': { options: { chromedriverExecutable: '/bin/true' } },
      });
      expect({ status: refused.status, ...refused.body.value }).toMatchObject({
        status: 400,
        error: 'invalid argument',
        message: 'svc decides on appium:chromedriverExecutable; leave it out',
      });
    },
    START_MS,
  );

  it(
    'a driver whose server crashes ends the session as Driver Crash, and the phone is free (contract 14.7)',
    async () => {
      const { body } = await create({ 'appium:udid': ANDROID_14.serial });
      const { sessionId } = body.value;
      lab.phones.phone(ANDROID_14.serial).crash();
      const isCrash = (text: string) => text.includes('instrumentation process');
      await until(async () => (await request(`${lab.url}/session/${sessionId}/source`)).text(), isCrash);
      expect(await endOf(lab, ana.headers, sessionId)).toMatchObject({
        status: 'failed',
        failureCategory: 'Driver Crash',
      });
      await until(
        () => statusOf(ANDROID_14.serial),
        (status) => status === 'free',
      );
    },
    START_MS,
  );

  it(
    'a phone whose driver is still starting is released by an Admin, and is free when the driver has settled (contract 14.7)',
    async () => {
      const phone = lab.phones.phone(ANDROID_12.serial);
      phone.startMs = 3_000;
      const created = create({ 'appium:udid': ANDROID_12.serial });
      await until(
        () => statusOf(ANDROID_12.serial),
        (status) => status === 'busy',
      );
      const release = (headers: Record<string, string>) =>
        lab.api(`/device/${ANDROID_12.serial}/release`, { method: 'POST', headers });
      expect((await release({ ...ana.headers })).status).toBe(403);
      expect((await release({ cookie: rootCookie, origin: lab.url })).status).toBe(204);
      expect((await created).body.value).toMatchObject({
        error: 'session not created',
        message: 'the phone was released by an administrator',
      });
      await until(
        () => statusOf(ANDROID_12.serial),
        (status) => status === 'free',
      );
      expect(lab.phones.adb.forwards()).toBe('');
    },
    START_MS,
  );
});
