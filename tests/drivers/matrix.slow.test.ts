import { ANDROID_12, ANDROID_14 } from '@svc/lab/phones';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { remote } from 'webdriverio';
import { makePerson, type Person, pairOf, superAdmin } from '../support/sessions.ts';
import { drive } from './support/driven-session.ts';
import { type PhoneLab, startPhoneLab } from './support/phone-lab.ts';

/** Four ports for each of the four phones, so that a port that is not given back is missed. */
const PORTS = 16;
const FIRST_PORT = 23_400;

let lab: PhoneLab;
let people: readonly Person[];

beforeAll(async () => {
  lab = await startPhoneLab({
    phones: [
      ANDROID_12,
      ANDROID_14,
      { ...ANDROID_12, serial: 'second-12' },
      { ...ANDROID_14, serial: 'second-14' },
    ],
    env: { SVC_DRIVER_PORTS: `${FIRST_PORT}-${FIRST_PORT + PORTS - 1}` },
  });
  const admin = await superAdmin(lab);
  // One account may have at most 16 waiting requests.
  people = await Promise.all(
    ['ana', 'ben', 'cem'].map((name) => makePerson(lab, admin, `${name}@example.org`)),
  );
});
afterAll(() => lab?.stop());

/** Starts a session with WebdriverIO as a worker of its test runner does, and ends it. @returns the version it got */
async function run(version: string): Promise<unknown> {
  const browser = await remote({
    hostname: '127.0.0.1',
    port: Number(new URL(lab.url).port),
    logLevel: 'error',
    connectionRetryCount: 0,
    connectionRetryTimeout: 120_000,
    capabilities: {
      platformName: 'Android',
      'appium:automationName': 'UiAutomator2',
      'appium:platformVersion': version,
      'svc:options': { ...pairOf(people[0] as Person), queueSeconds: 120 },
    } as WebdriverIO.Capabilities,
  });
  try {
    expect(await browser.getPageSource()).toContain(`Android ${version}`);
    return (browser.capabilities as { platformVersion?: unknown }).platformVersion;
  } finally {
    await browser.deleteSession();
  }
}

describe('a WebdriverIO matrix of two Android versions', () => {
  it('a WebdriverIO matrix of two Android versions gets the versions that it asked for on four workers (contract 14.3)', async () => {
    const wanted = Array.from({ length: 8 }, (_, index) => (index % 2 === 0 ? '12' : '14'));
    const jobs = [...wanted.entries()];
    const got: unknown[] = [];
    const worker = async () => {
      for (let job = jobs.shift(); job !== undefined; job = jobs.shift()) got[job[0]] = await run(job[1]);
    };
    await Promise.all(Array.from({ length: 4 }, worker));
    expect(got).toEqual(wanted);
  }, 120_000);

  it('a WebdriverIO matrix of two Android versions gives back every port after forty creates at the same time (contract 14.5)', async () => {
    const create = async (index: number) => {
      const owner = people[index % people.length] as Person;
      const version = index % 2 === 0 ? '12' : '14';
      const wanted = { ...lab.capabilities, 'appium:platformVersion': version };
      const session = await drive(lab, owner, wanted, { queueSeconds: 170 });
      await session.end();
      return session.capabilities.platformVersion === version;
    };
    const created = await Promise.all(Array.from({ length: 40 }, (_, index) => create(index)));
    expect(created).toEqual(Array(40).fill(true));
    expect(lab.phones.adb.forwards()).toBe('');
    // As many sessions as there are phones still start together, which needs all ports.
    expect(await Promise.all([0, 1, 2, 3].map(create))).toEqual(Array(4).fill(true));
  }, 180_000);
});
