import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CreateRefused } from '../src/create-refused.ts';
import { capabilityName, capabilitySets } from '../src/decided/decided-capabilities.ts';
import { DriverPlaces } from '../src/decided/driver-places.ts';
import { HOST_CAPABILITIES } from '../src/decided/host-capabilities.ts';
import { type Device, NO_FACTS } from '../src/device.ts';
import { phoneViews } from '../src/matching/phone-view.ts';

const ADB = { host: '10.0.0.7', port: 5137 };
const phone = (change: Partial<Device> = {}): Device => ({
  udid: 'held',
  name: 'Pixel 7',
  platform: 'Android',
  osVersion: '14',
  node: null,
  mjpegUrl: null,
  h264Url: null,
  logs: 'adb',
  teamId: null,
  ...NO_FACTS,
  ...change,
});
const IPHONE = phone({ platform: 'iOS', name: "Ana's iPhone", osVersion: '17.4', logs: null });

const places = (allowed: string[] = [], applies = true) => new DriverPlaces({ applies, allowed, adb: ADB });
/** Assigns a place and gives it back, because a phone is locked as long as its place is in use. */
async function assigned<T extends Record<string, unknown>>(
  capabilities: T,
  device: Device | null = phone(),
  of: DriverPlaces = places(),
): Promise<T & { readonly alwaysMatch: object }> {
  const reserved = { device, node: device?.node ?? null, hasDevices: true };
  (await of.assign(capabilities, reserved)).release();
  return capabilities as T & { readonly alwaysMatch: object };
}

/** Ways to write a capability that a driver, a plugin such as relaxed-caps, or another server may read. */
const WRITINGS: [string, (name: string, value: unknown) => Record<string, unknown>][] = [
  ['alwaysMatch', (name, value) => ({ alwaysMatch: { [`appium:${name}`]: value } })],
  ['without prefix', (name, value) => ({ alwaysMatch: { [name]: value } })],
  ['the last of firstMatch', (name, value) => ({ firstMatch: [{}, {}, { [`appium:${name}`]: value }] })],
  ['appium:options', (name, value) => ({ alwaysMatch: { 'appium:options': { [name]: value } } })],
  [
    'appium:options, prefixed',
    (name, value) => ({ firstMatch: [{ 'appium:options': { [`appium:${name}`]: value } }] }),
  ],
  [
    'appium:options in appium:options',
    (name, value) => ({
      alwaysMatch: { 'appium:options': { 'appium:options': { options: { [name]: value } } } },
    }),
  ],
  ['options without prefix', (name, value) => ({ firstMatch: [{ options: { [name]: value } }] })],
  ['a repeated prefix', (name, value) => ({ alwaysMatch: { [`appium:appium:${name}`]: value } })],
  ['another letter case', (name, value) => ({ alwaysMatch: { [`appium:${name.toUpperCase()}`]: value } })],
  ['white space', (name, value) => ({ alwaysMatch: { [`appium: ${name} `]: value } })],
  ['legacy capabilities', (name, value) => ({ desiredCapabilities: { [name]: value } })],
];

it('webDriverAgentUrl is dropped, not refused, if the phone may be one whose WebDriverAgent the lab knows (contract 14.1)', () => {
  const asked = { alwaysMatch: { 'appium:webDriverAgentUrl': 'http://elsewhere:8100' } };
  const { decided } = places();
  expect(() => decided.check(capabilitySets(asked))).toThrow(CreateRefused);
  decided.check(capabilitySets(asked), () => true);
  decided.drop(capabilitySets(asked), { device: { udid: 'u', platform: 'iOS' }, hasDevices: true });
  expect(asked).toEqual({ alwaysMatch: {} });
});

describe.each(WRITINGS)('a capability in %s', (_where, written) => {
  it.each(HOST_CAPABILITIES.filter(({ treatment }) => treatment === 'refused'))(
    'a capability is refused if it is $name (contract 14.1)',
    ({ name }) => {
      const check = () => places().decided.check(capabilitySets({ capabilities: written(name, 'x') }));
      expect(check).toThrow(new CreateRefused('capability', `svc decides on appium:${name}; leave it out`));
      expect(check).toThrow(`svc decides on appium:${name}; leave it out`);
    },
  );

  it.each(
    HOST_CAPABILITIES.filter(({ treatment, describes }) => treatment !== 'refused' && describes !== 'apple'),
  )('a capability is dropped if it is $name (contract 14.1)', async ({ name }) => {
    const after = await assigned(written(name, 'foreign'));
    expect(JSON.stringify(after)).not.toContain('foreign');
    expect(after.alwaysMatch).toEqual({
      ...(after.alwaysMatch as object),
      'appium:udid': 'held',
      'appium:adbPort': ADB.port,
      'appium:remoteAdbHost': ADB.host,
    });
  });
});

describe('what the lab writes', () => {
  it('the udid that the lab writes is the only one that any view names (contract 6.4)', async () => {
    const udid = { 'appium:udid': 'other' };
    const after = await assigned({
      alwaysMatch: 'x',
      firstMatch: [null, 'x', udid, { 'appium:options': udid }],
    });
    expect(phoneViews(after).map(({ udid }) => udid)).toContain('held');
    expect(JSON.stringify(after)).not.toContain('other');
  });

  it('the lab leaves every other capability as it is (contract 6.2)', async () => {
    const other = {
      platformName: 'Android',
      'appium:automationName': 'Fake',
      'appium:deviceName': 'x',
      'appium:platformVersion': '14',
      'appium:settings[mjpegServerFramerate]': 5,
      'svc:options': { udid: 'noted' },
      'appium:processArguments': { env: { udid: 'x', systemPort: '1' } },
      'appium:options': { app: 'a' },
    };
    const entry = { 'appium:noReset': true, 'goog:chromeOptions': { args: ['x'] } };
    const after = await assigned({ alwaysMatch: { ...other }, firstMatch: [{ ...entry }, {}] });
    expect(after).toEqual({ alwaysMatch: { ...other, 'appium:udid': 'held' }, firstMatch: [entry, {}] });
  });

  it('the lab describes an Apple phone by its own name and version (contract 14.1)', async () => {
    const asked = { platformName: 'iOS', 'appium:platformVersion': '99', 'appium:deviceName': 'iPhone 99' };
    expect(await assigned({ alwaysMatch: asked }, IPHONE)).toEqual({
      alwaysMatch: {
        platformName: 'iOS',
        'appium:udid': 'held',
        'appium:deviceName': IPHONE.name,
        'appium:platformVersion': '17.4',
      },
    });
    const unknown = await assigned({ alwaysMatch: { ...asked } }, { ...IPHONE, osVersion: 'unknown' });
    expect(unknown.alwaysMatch).not.toHaveProperty('appium:platformVersion');
  });

  it('the lab writes only the device for a phone of a node, because the node knows its own host (contract 14.1)', async () => {
    const asked = { 'appium:automationName': 'UiAutomator2', 'appium:systemPort': 8200 };
    expect((await assigned({ alwaysMatch: asked }, phone({ node: 'node-1' }))).alwaysMatch).toEqual({
      'appium:automationName': 'UiAutomator2',
      'appium:udid': 'held',
    });
  });

  it('the lab writes no address of adb for a driver that uses no adb (contract 14.1)', async () => {
    const fake = (await assigned({ alwaysMatch: { 'appium:automationName': 'Fake' } })).alwaysMatch;
    expect(fake).toEqual({ 'appium:automationName': 'Fake', 'appium:udid': 'held' });
    const local = new DriverPlaces({ applies: true, allowed: [], adb: { host: '127.0.0.1', port: 5037 } });
    const espresso = { alwaysMatch: { 'appium:automationName': 'espresso' } };
    expect((await assigned(espresso, phone(), local)).alwaysMatch).toMatchObject({ 'appium:adbPort': 5037 });
    expect(espresso.alwaysMatch).not.toHaveProperty('appium:remoteAdbHost');
  });

  it('the lab leaves every value of the client as it is while sign-in is off (contract 14.1)', async () => {
    const off = places([], false);
    const asked = {
      'appium:avd': 'a',
      'appium:udid': 'other',
      'appium:chromedriverExecutable': '/bin/true',
      'appium:systemPort': 8200,
    };
    off.decided.check(capabilitySets({ alwaysMatch: asked }));
    expect((await assigned({ alwaysMatch: { ...asked } }, phone(), off)).alwaysMatch).toEqual({
      ...asked,
      'appium:udid': 'held',
      'appium:adbPort': ADB.port,
      'appium:remoteAdbHost': ADB.host,
    });
  });

  it('the lab writes nothing for a session in a grid, which decides for itself (contract 14.1)', async () => {
    const asked = { 'appium:udid': 'p', 'appium:systemPort': 1 };
    const capabilities = { alwaysMatch: { ...asked } };
    await places().assign(capabilities, { device: null, node: 'grid:4444', hasDevices: false });
    expect(capabilities).toEqual({ alwaysMatch: asked });
  });

  it('a lab without phones leaves the choice of the phone to the driver (contract 14.1)', async () => {
    const asked = { 'appium:udid': 'p', 'appium:avd': 'a', 'appium:systemPort': 1 };
    const capabilities = { alwaysMatch: asked };
    await places().assign(capabilities, { device: null, node: null, hasDevices: false });
    expect(capabilities.alwaysMatch).toEqual({ 'appium:udid': 'p', 'appium:avd': 'a' });
  });
});

describe('a capability that the operator leaves to clients', () => {
  it('a capability that the operator leaves to clients is accepted, and the value of the client stays (contract 14.1)', async () => {
    const left = places(['keystorePath', 'ADBPORT', 'avd', 'udid']);
    const asked = { 'appium:keystorePath': 'k', 'appium:adbPort': 1, 'appium:avd': 'a', 'appium:udid': 'o' };
    left.decided.check(capabilitySets({ alwaysMatch: asked }));
    const named = { ...asked, 'appium:automationName': 'UiAutomator2' };
    expect((await assigned({ alwaysMatch: named }, phone(), left)).alwaysMatch).toEqual({
      ...named,
      'appium:udid': 'held',
      'appium:remoteAdbHost': ADB.host,
    });
    expect(() => left.decided.check(capabilitySets({ 'appium:keychainPath': 'k' }))).toThrow(CreateRefused);
  });
});

describe('a session for which no phone is reserved', () => {
  it.each([
    ['goog:chromeOptions', 'androidPackage'],
    ['goog:chromeOptions', 'androidDeviceSerial'],
    ['ms:edgeOptions', 'debuggerAddress'],
    ['moz:firefoxOptions', 'androidPackage'],
  ])(
    'a session for which no phone is reserved does not reach a phone or another browser through %s.%s (contract 14.1)',
    async (options, name) => {
      const capabilities = { firstMatch: [{ [options]: { [name]: 'x' } }] };
      await expect(assigned(capabilities, null)).rejects.toThrow(
        `svc decides on ${options}.${name}; leave it out`,
      );
    },
  );
});

describe('two servers that share an adb server', () => {
  it.runIf(process.platform === 'linux')(
    'two servers that share an adb server drive a phone one at a time (contract 14.8)',
    async () => {
      const reserved = { device: phone({ udid: 'shared' }), node: null, hasDevices: true };
      const first = await places().assign({}, reserved);
      await expect(places().assign({}, reserved)).rejects.toThrow('the phone is busy');
      const elsewhere = new DriverPlaces({
        applies: true,
        allowed: [],
        adb: { host: '10.0.0.8', port: 5037 },
      });
      (await elsewhere.assign({}, reserved)).release();
      first.release();
      (await places().assign({}, reserved)).release();
    },
  );
});

describe('the table', () => {
  it('the table of decided capabilities is in the guide, with the reason for each name (contract 14.1)', () => {
    const guide = readFileSync(
      new URL('../../../docs/guides/decided-capabilities.md', import.meta.url),
      'utf8',
    );
    const rows = guide.split('\n').map((line) => line.split('|').map((cell) => cell.trim()));
    for (const { name, treatment, drivers, why } of HOST_CAPABILITIES)
      expect(rows).toContainEqual(['', `\`${name}\``, treatment, drivers.join(', '), why, '']);
  });

  it('the table of decided capabilities is found again in any nesting of any writing (contract 14.1)', () => {
    const prefix = fc.stringMatching(/^(appium:){0,3}$/);
    const row = fc.constantFrom(...HOST_CAPABILITIES.filter(({ treatment }) => treatment === 'refused'));
    const depth = fc.integer({ min: 0, max: 20 });
    fc.assert(
      fc.property(prefix, row, depth, prefix, (before, { name }, levels, again) => {
        let inner: Record<string, unknown> = { [`${before}${name}`]: 1 };
        for (let level = 0; level < levels; level++) inner = { [`${again}options`]: inner };
        expect(() => places().decided.check(capabilitySets({ alwaysMatch: inner }))).toThrow(CreateRefused);
      }),
    );
  });

  it.each(['__proto__', 'appium:__proto__', 'appium:appium:__proto__'])(
    'the table of decided capabilities is found in %s, with which a copy would get it as its prototype (contract 14.1)',
    async (name) => {
      const wrapped = (inner: object) => JSON.parse(`{"alwaysMatch":{"${name}":${JSON.stringify(inner)}}}`);
      expect(() =>
        places().decided.check(capabilitySets(wrapped({ chromedriverExecutable: '/bin/true' }))),
      ).toThrow(CreateRefused);
      const dropped = wrapped({ avd: 'a', systemPort: 1, noReset: true });
      await assigned(dropped);
      expect(JSON.stringify(dropped)).not.toMatch(/"avd"|"systemPort":1\b/);
    },
  );

  it('the table of decided capabilities takes no capability for another one (contract 6.2)', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string(), async (name) => {
        const isKnown = HOST_CAPABILITIES.some((row) => row.name.toLowerCase() === capabilityName(name));
        const capabilities = { alwaysMatch: { [name]: 'kept' } };
        if (isKnown || capabilitySets(capabilities).length > 2) return;
        places().decided.check(capabilitySets(capabilities));
        await assigned(capabilities);
        expect(Object.hasOwn(capabilities.alwaysMatch, name)).toBe(true);
      }),
    );
  });
});
