import { ANDROID_12, ANDROID_14 } from '@svc/lab/phones';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endOf, recordOf } from '../support/records.ts';
import { makePerson, type Person, superAdmin } from '../support/sessions.ts';
import { drive } from './support/driven-session.ts';
import { type PhoneLab, startPhoneLab } from './support/phone-lab.ts';
import { seeLine, seePicture } from './support/watch.ts';

let lab: PhoneLab;
let ana: Person;

beforeAll(async () => {
  lab = await startPhoneLab({ phones: [ANDROID_12, ANDROID_14] });
  ana = await makePerson(lab, await superAdmin(lab), 'ana@example.org');
});
afterAll(() => lab?.stop());

const start = (udid: string) => drive(lab, ana, { ...lab.capabilities, 'appium:udid': udid });

describe('a session of the UiAutomator2 driver', () => {
  it('a session of the UiAutomator2 driver runs commands on the phone that it asked for, and frees the phone at its end (contract 14.3)', async () => {
    const { serial } = ANDROID_12;
    const session = await start(serial);
    expect(session.capabilities).toMatchObject({ deviceUDID: serial, platformVersion: '12' });
    const field = await session.element('id', 'com.example:id/field');
    await session.command('POST', `${field}/value`, { text: 'typed on Android 12' });
    expect(await session.command('GET', `${field}/text`)).toBe('typed on Android 12');
    expect(lab.phones.phone(serial).typed).toEqual(['typed on Android 12']);
    expect(lab.phones.phone(ANDROID_14.serial).typed).toEqual([]);
    expect(await session.command('GET', '/source')).toContain(`${serial}, Android 12`);
    expect(await recordOf(lab, ana.headers, session.id)).toMatchObject({ device: { udid: serial } });

    expect(await session.end()).toBeNull();
    expect(await endOf(lab, ana.headers, session.id)).toMatchObject({ failureCategory: null });
    expect(lab.phones.adb.forwards()).toBe('');
    expect(lab.phones.phone(serial).unknown).toEqual([]);
  });

  it('a session of the UiAutomator2 driver leaves the preview and the device log of its phone open (contract 2 /control)', async () => {
    const { serial } = ANDROID_14;
    const session = await start(serial);
    await seePicture(lab, ana, serial);
    await seeLine(lab, ana, serial, 'the total is missing', () =>
      lab.phones.phone(serial).log('E', 'Notes', 'the total is missing'),
    );
    await session.end();
  });
});
