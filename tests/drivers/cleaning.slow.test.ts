import { ANDROID_14 } from '@svc/lab/phones';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { recordOf, until } from '../support/records.ts';
import { makePerson, type Person, superAdmin } from '../support/sessions.ts';
import { drive } from './support/driven-session.ts';
import { type PhoneLab, startPhoneLab } from './support/phone-lab.ts';

let lab: PhoneLab;
let ana: Person;

beforeAll(async () => {
  lab = await startPhoneLab({ phones: [ANDROID_14], env: { SVC_CLEAN: 'apps' } });
  ana = await makePerson(lab, await superAdmin(lab), 'ana@example.org');
});
afterAll(() => lab?.stop());

describe('a phone after a session of the UiAutomator2 driver', () => {
  it('a phone after a session of the UiAutomator2 driver has no app of the session, but still the helpers of the driver (contract 17.3)', async () => {
    const phone = lab.phones.phone(ANDROID_14.serial);
    const name = 'com.example.left';
    const session = await drive(lab, ana, lab.capabilities, { keep: true });
    phone.install({ name, versionCode: 1, versionName: '1', isSystem: false });
    await session.end();
    const cleanOf = async () => (await recordOf(lab, ana.headers, session.id)).clean;
    const clean = await until(cleanOf, (now) => now?.state !== 'pending');
    expect(clean).toEqual({ state: 'cleaned', removed: [name], at: expect.any(String) });
    expect([...phone.packages.keys()]).toContain('io.appium.uiautomator2.server');
    expect([phone.packages.has(name), phone.unknown]).toEqual([false, []]);
  });
});
