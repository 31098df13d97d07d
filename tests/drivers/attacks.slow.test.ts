import { SvcClient } from '@svc/client';
import { ANDROID_12, ANDROID_14, emulator } from '@svc/lab/phones';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endOf, recordOf, until } from '../support/records.ts';
import {
  createSession,
  makePerson,
  type Options,
  type Person,
  pairOf,
  superAdmin,
} from '../support/sessions.ts';
import { drive } from './support/driven-session.ts';
import { type PhoneLab, startPhoneLab } from './support/phone-lab.ts';

let lab: PhoneLab;
let admin: SvcClient;
let ana: Person;
let avd: { readonly serial: string; readonly avd: string };

/** Ana is in no team; the emulator belongs to another team, so that she does not see it. */
beforeAll(async () => {
  avd = await emulator();
  lab = await startPhoneLab({ phones: [ANDROID_12, ANDROID_14, avd] });
  const cookie = await superAdmin(lab);
  admin = new SvcClient({ url: lab.url, credential: { cookie } });
  ana = await makePerson(lab, cookie, 'ana@example.org');
  const team = await admin.call('createTeam', { body: { name: 'Beta' } });
  await admin.call('setDeviceTeam', { params: { udid: avd.serial }, body: { teamId: team.id } });
});
afterAll(() => lab?.stop());

const create = async (more: Options) => {
  const capabilities = { ...lab.capabilities, ...more };
  const { status, body } = await createSession(lab.url, pairOf(ana), { capabilities });
  return { status, error: body.value.error, message: body.value.message };
};

describe('a client of the UiAutomator2 driver', () => {
  it('a client of the UiAutomator2 driver gets no emulator of another team by its name (contract 14.1)', async () => {
    const { requests } = lab.phones.phone(avd.serial).uiAutomator;
    expect(await create({ 'appium:avd': avd.avd })).toMatchObject({ error: 'session not created' });
    expect(await create({ 'appium:options': { avd: avd.avd, udid: ANDROID_12.serial } })).toMatchObject({
      error: 'session not created',
    });
    expect(requests).toEqual([]);
  });

  it('a client of the UiAutomator2 driver gets the Android version that it asks for, or a refusal that names the versions (contract 14.3)', async () => {
    for (const [version, serial] of [
      ['14', ANDROID_14.serial],
      ['12', ANDROID_12.serial],
    ]) {
      const session = await drive(lab, ana, { ...lab.capabilities, 'appium:platformVersion': version });
      expect(session.capabilities).toMatchObject({ platformVersion: version, deviceUDID: serial });
      expect(await recordOf(lab, ana.headers, session.id)).toMatchObject({ device: { udid: serial } });
      await session.end();
    }
    expect(await create({ 'appium:platformVersion': '99' })).toMatchObject({
      error: 'session not created',
      message: expect.stringContaining('platformVersion 99; the lab has 12, 14'),
    });
  });

  it('a client of the UiAutomator2 driver shows and types only on its own phone with the port numbers of another session (contract 14.1, 14.5)', async () => {
    const copied = { 'appium:systemPort': 8299, 'appium:mjpegServerPort': 8298 };
    const on = (serial: string) => ({ ...lab.capabilities, ...copied, 'appium:udid': serial });
    const first = await drive(lab, ana, on(ANDROID_12.serial));
    const second = await drive(lab, ana, on(ANDROID_14.serial));
    const locals = lab.phones.adb.forwards().match(/(?<= tcp:)\d+(?= )/g) ?? [];
    expect(new Set(locals).size).toBe(locals.length);
    for (const port of locals) expect(Number(port)).toBeGreaterThanOrEqual(20_000);

    const field = await first.element('id', 'com.example:id/field');
    await first.command('POST', `${field}/value`, { text: 'of the first phone' });
    expect(lab.phones.phone(ANDROID_12.serial).typed).toEqual(['of the first phone']);
    expect(lab.phones.phone(ANDROID_14.serial).typed).toEqual([]);
    await second.end();
    expect(await first.command('GET', `${field}/text`)).toBe('of the first phone');
    await first.end();
    expect(lab.phones.adb.forwards()).toBe('');
  });

  it.each(['chromedriverExecutable', 'avdArgs', 'mjpegScreenshotUrl'])(
    'a client of the UiAutomator2 driver cannot set appium:%s (contract 14.1)',
    async (name) => {
      const refusal = {
        status: 400,
        error: 'invalid argument',
        message: `svc decides on appium:${name}; leave it out`,
      };
      expect(await create({ [`appium:${name}`]: '/bin/true' })).toMatchObject(refusal);
      expect(await create({ 'appium:options': { [name]: '/bin/true' } })).toMatchObject(refusal);
    },
  );

  it('a client of the UiAutomator2 driver reaches no other adb server (contract 14.1)', async () => {
    const session = await drive(lab, ana, {
      ...lab.capabilities,
      'appium:remoteAdbHost': '192.0.2.1',
      'appium:adbPort': 9,
    });
    expect([ANDROID_12.serial, ANDROID_14.serial]).toContain(session.capabilities.deviceUDID);
    await session.end();
  });

  it('a client of the UiAutomator2 driver loses its session, and frees the phone, when the server on the phone dies (contract 14.7)', async () => {
    const { serial } = ANDROID_12;
    const session = await drive(lab, ana, { ...lab.capabilities, 'appium:udid': serial });
    lab.phones.phone(serial).crash();
    // The driver notices the death after a command that failed because the connection was closed.
    await until(
      async () => JSON.stringify(await session.command('GET', '/source')),
      (answer) => answer.includes('instrumentation process is not running'),
    );
    expect(await endOf(lab, ana.headers, session.id)).toMatchObject({ failureCategory: 'Driver Crash' });
    await (await drive(lab, ana, { ...lab.capabilities, 'appium:udid': serial })).end();
  });

  it('a client of the UiAutomator2 driver loses its session after the one command during which the server on the phone dies (contract 14.7)', async () => {
    const { serial } = ANDROID_12;
    const session = await drive(lab, ana, { ...lab.capabilities, 'appium:udid': serial });
    const { uiAutomator } = lab.phones.phone(serial);
    uiAutomator.crashesOn = 'GET /source';
    expect(await session.command('GET', '/source')).toMatchObject({
      message: expect.stringContaining('socket hang up'),
    });
    uiAutomator.crashesOn = null;
    expect(await endOf(lab, ana.headers, session.id)).toMatchObject({ failureCategory: 'Driver Crash' });
    await (await drive(lab, ana, { ...lab.capabilities, 'appium:udid': serial })).end();
  });

  it('a client of the UiAutomator2 driver keeps its session if the server closed a connection and is alive (contract 14.7)', async () => {
    const { serial } = ANDROID_12;
    const session = await drive(lab, ana, { ...lab.capabilities, 'appium:udid': serial });
    const { uiAutomator } = lab.phones.phone(serial);
    uiAutomator.dropsOn = 'GET /source';
    expect(await session.command('GET', '/source')).toMatchObject({
      message: expect.stringContaining('socket hang up'),
    });
    uiAutomator.dropsOn = null;
    expect(await session.command('GET', '/source')).toEqual(expect.stringContaining('<hierarchy'));
    expect(await recordOf(lab, ana.headers, session.id)).toMatchObject({ status: 'running' });
    await session.end();
  });
});
