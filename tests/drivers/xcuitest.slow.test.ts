import { IPHONE_13, IPHONE_15 } from '@svc/lab/phones';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endOf, recordOf } from '../support/records.ts';
import { makePerson, type Person, superAdmin } from '../support/sessions.ts';
import { drive } from './support/driven-session.ts';
import { type PhoneLab, startPhoneLab } from './support/phone-lab.ts';
import { seeLine, seePicture } from './support/watch.ts';

let lab: PhoneLab;
let ana: Person;

beforeAll(async () => {
  lab = await startPhoneLab({ iPhones: [IPHONE_13, IPHONE_15] });
  ana = await makePerson(lab, await superAdmin(lab), 'ana@example.org');
});
afterAll(() => lab?.stop());

describe('a session of the XCUITest driver', () => {
  it('a session of the XCUITest driver runs commands on the iPhone that it asked for, and frees the phone at its end (contract 14.6)', async () => {
    const { udid, osVersion } = IPHONE_15;
    const { agent } = lab.iPhones.phone(udid);
    const session = await drive(lab, ana, { ...lab.appleCapabilities, 'appium:udid': udid });
    expect(session.capabilities).toMatchObject({ udid, platformVersion: osVersion });
    const field = await session.element('accessibility id', 'field');
    await session.command('POST', `${field}/value`, { text: 'typed on iOS' });
    expect(agent.typed).toEqual(['typed on iOS']);
    expect(await session.command('GET', '/source')).toContain('iPhone 15');
    expect(await recordOf(lab, ana.headers, session.id)).toMatchObject({ device: { udid } });

    expect(await session.end()).toBeNull();
    expect(await endOf(lab, ana.headers, session.id)).toMatchObject({ failureCategory: null });
    expect(agent.session).toBeNull();
  });

  it('neither shows nor takes the address of a WebDriverAgent (contract 14.1, 14.6)', async () => {
    const other = lab.iPhones.phone(IPHONE_15.udid).agent;
    const before = other.sessionsStarted;
    const { agent } = lab.iPhones.phone(IPHONE_13.udid);
    const wanted = { ...lab.appleCapabilities, 'appium:udid': IPHONE_13.udid };
    const session = await drive(lab, ana, wanted);
    expect(JSON.stringify(session.capabilities)).not.toContain(await agent.listen());
    await session.end();
    const copied = { ...wanted, 'appium:webDriverAgentUrl': await other.listen() };
    const own = await drive(lab, ana, copied);
    expect([other.sessionsStarted, agent.session]).toEqual([before, expect.anything()]);
    await own.end();
  });

  it('a session of the XCUITest driver is not needed for the preview and the log of an iPhone (contract 14.6)', async () => {
    const { udid } = IPHONE_13;
    await seePicture(lab, ana, udid);
    await seeLine(lab, ana, udid, 'the total is missing', () =>
      lab.iPhones.phone(udid).log('Notes', 'the total is missing'),
    );
  });
});
