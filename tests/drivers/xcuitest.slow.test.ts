import { IPHONE_13, IPHONE_15 } from '@svc/lab/phones';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endOf, recordOf } from '../support/records.ts';
import { makePerson, type Person, superAdmin } from '../support/sessions.ts';
import { drive } from './support/driven-session.ts';
import { type PhoneLab, startPhoneLab } from './support/phone-lab.ts';

let lab: PhoneLab;
let ana: Person;

beforeAll(async () => {
  lab = await startPhoneLab({
    iPhones: [IPHONE_13, IPHONE_15],
    env: { SVC_HOST_CAPABILITIES: 'webDriverAgentUrl' },
  });
  ana = await makePerson(lab, await superAdmin(lab), 'ana@example.org');
});
afterAll(() => lab?.stop());

describe('a session of the XCUITest driver', () => {
  it('runs commands on the iPhone that it asked for, and frees the phone at its end (spec 6.1)', async () => {
    const { udid, osVersion } = IPHONE_15;
    const { agent } = lab.iPhones.phone(udid);
    const session = await drive(lab, ana, {
      ...lab.appleCapabilities,
      'appium:udid': udid,
      'appium:webDriverAgentUrl': await agent.listen(),
    });
    expect(session.capabilities).toMatchObject({ udid, platformVersion: osVersion });
    const field = await session.element('accessibility id', 'field');
    await session.command('POST', `${field}/value`, { text: 'typed on iOS' });
    expect(agent.typed).toEqual(['typed on iOS']);
    expect(lab.iPhones.phone(IPHONE_13.udid).agent.requests).toEqual([]);
    expect(await session.command('GET', '/source')).toContain('iPhone 15');
    expect(await recordOf(lab, ana.headers, session.id)).toMatchObject({ device: { udid } });

    expect(await session.end()).toBeNull();
    expect(await endOf(lab, ana.headers, session.id)).toMatchObject({ failureCategory: null });
    expect(agent.session).toBeNull();
  });
});
