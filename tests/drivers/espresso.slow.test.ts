import { ANDROID_12, ANDROID_14 } from '@svc/lab/phones';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { read } from '../support/records.ts';
import {
  createSession,
  makePerson,
  type Options,
  type Person,
  pairOf,
  superAdmin,
} from '../support/sessions.ts';
import { type PhoneLab, startPhoneLab } from './support/phone-lab.ts';

const APP = { 'appium:appPackage': 'com.android.settings', 'appium:appActivity': '.Settings' };

/**
 * The Espresso driver builds its server with Gradle and the Android SDK for each app, which this test does not have. So
 * the build fails here in any case, and everything before the build is tested.
 */
describe('a client of the Espresso driver', () => {
  let lab: PhoneLab;
  let ana: Person;

  beforeAll(async () => {
    lab = await startPhoneLab({
      phones: [ANDROID_12, ANDROID_14],
      driver: 'appium-espresso-driver',
      // Without Java, the build fails before it connects to a server of Gradle.
      env: { JAVA_HOME: '/nonexistent' },
    });
    ana = await makePerson(lab, await superAdmin(lab), 'ana@example.org');
  }, 180_000);
  afterAll(() => lab?.stop());

  const create = async (more: Options) => {
    const capabilities = { ...lab.capabilities, 'appium:automationName': 'Espresso', ...APP, ...more };
    const { status, body } = await createSession(lab.url, pairOf(ana), { capabilities });
    return { status, message: body.value.message };
  };

  it('a client of the Espresso driver gets the phone, the adb server and the port that the lab decided on, and leaves nothing behind (contract 14.1, 14.5)', async () => {
    const refused = await create({
      'appium:platformVersion': '14',
      'appium:systemPort': 8299,
      'appium:adbPort': 9,
      'appium:remoteAdbHost': '192.0.2.1',
    });
    expect(refused).toMatchObject({ status: 500, message: expect.stringContaining('Espresso server') });
    const [adb] = /adb -P .* forward tcp:.*/.exec(lab.output()) ?? [];
    const { port } = lab.phones.adb;
    expect(adb).toMatch(new RegExp(`-P ${port} -s ${ANDROID_14.serial} forward tcp:20\\d{3} tcp:6791'?$`));
    expect(lab.output()).not.toMatch(new RegExp(`adb.* -s ${ANDROID_12.serial} `));
    expect(lab.phones.adb.forwards()).toBe('');
    const devices = await read<{ status: string }[]>(lab, ana.headers, '/devices');
    expect(devices.map(({ status }) => status)).toEqual(['free', 'free']);
  });

  it.each([
    ['espressoBuildConfig', '{"additionalAppDependencies":["a\\");exec(\\"id"]}'],
    ['adbListenAllNetwork', true],
    ['keystorePath', '/etc/hostname'],
    ['avdArgs', '-no-window'],
  ])('a client of the Espresso driver cannot set appium:%s (contract 14.1)', async (name, value) => {
    const refusal = { status: 400, message: `svc decides on appium:${name}; leave it out` };
    expect(await create({ [`appium:${name}`]: value })).toEqual(refusal);
    expect(await create({ 'appium:options': { [name]: value } })).toEqual(refusal);
  });
});
