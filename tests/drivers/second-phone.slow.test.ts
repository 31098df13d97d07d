import { ANDROID_12, ANDROID_14 } from '@svc/lab/phones';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createSession, makePerson, type Person, pairOf, superAdmin } from '../support/sessions.ts';
import { drive } from './support/driven-session.ts';
import { type PhoneLab, startPhoneLab } from './support/phone-lab.ts';

let lab: PhoneLab;
let ana: Person;

beforeAll(async () => {
  lab = await startPhoneLab({ phones: [ANDROID_12, ANDROID_14] });
  ana = await makePerson(lab, await superAdmin(lab), 'ana@example.org');
});
afterAll(() => lab?.stop());

const CRASHED =
  'INSTRUMENTATION_FAILED: io.appium.uiautomator2.server.test/androidx.test.runner.AndroidJUnitRunner\n';
const CANNOT_START = expect.stringMatching(/instrumentation process/i);

it('a create that UiAutomator2 refuses because of the phone runs on another one, and three in a row put the phone out (contract 17.2)', async () => {
  const first = await drive(lab, ana, lab.capabilities);
  const phone = first.capabilities.deviceUDID as string;
  await first.end();
  const second = await drive(lab, ana, lab.capabilities);
  const other = second.capabilities.deviceUDID as string;
  await second.end();
  expect(new Set([phone, other])).toEqual(new Set([ANDROID_12.serial, ANDROID_14.serial]));

  // The lab takes the phone that has been idle longest, which is the first one again.
  lab.phones.phone(phone).answers.unshift({ command: /am instrument/, output: () => CRASHED });
  const third = await drive(lab, ana, lab.capabilities);
  expect(third.capabilities.deviceUDID).toBe(other);
  await third.end();

  const wanted = { ...lab.capabilities, 'appium:udid': phone };
  const messages: string[] = [];
  for (let each = 0; each < 3; each++) {
    const { body } = await createSession(lab.url, pairOf(ana), { capabilities: wanted });
    messages.push(String(body.value.message));
  }
  expect(messages).toEqual([CANNOT_START, CANNOT_START, 'the phone is busy']);
  const answer = await lab.api('/devices', { headers: ana.headers });
  const devices = (await answer.json()) as { udid: string; outOfService: { reason: string } | null }[];
  expect(devices.map(({ udid, outOfService }) => [udid, outOfService?.reason]).sort()).toEqual(
    [
      [phone, 'the driver refused 3 creates in a row'],
      [other, undefined],
    ].sort(),
  );
});
