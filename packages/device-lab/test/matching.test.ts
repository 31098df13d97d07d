import { silentLog } from '@svc/auth-core/testing';
import { labStores } from '@svc/store-sqlite/testing';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { allocateDevice, type DeviceRequest, NoMatchingDevice } from '../src/allocate-device.ts';
import type { SourceDevice } from '../src/device.ts';
import { Devices } from '../src/devices.ts';
import { UnusableCondition } from '../src/matching/device-object.ts';
import { phoneMatches } from '../src/matching/mismatches.ts';
import { keepView, phoneViews } from '../src/matching/phone-view.ts';
import { compareAsFarAs, fitsVersion } from '../src/matching/version.ts';
import { listedDevices } from '../src/sources/listed-devices.ts';

type Given = Partial<SourceDevice> & { readonly udid: string };

const PIXEL: Given = {
  udid: 'pixel',
  name: 'Pixel 8',
  osVersion: '14',
  model: 'Pixel 8',
  manufacturer: 'Google',
  apiLevel: 34,
  kind: 'real',
  sourceTags: ['fast', 'shelf-1'],
};
const EMULATOR: Given = {
  udid: 'emulator-5554',
  name: 'sdk_gphone64',
  osVersion: '12',
  model: 'sdk_gphone64',
  manufacturer: 'Google',
  apiLevel: 31,
  kind: 'emulator',
  avd: 'Pixel_4_API_31',
};
const IPHONE: Given = { udid: '00008030-1', name: 'Lab iPhone 13', platform: 'iOS', osVersion: '17.4.1' };
const NODE_PHONE: Given = { udid: 'far', name: 'Galaxy', osVersion: '13', node: 'node-1:4723' };
const PHONES = [PIXEL, EMULATOR, IPHONE, NODE_PHONE];

function labOf(phones: readonly Given[] = PHONES) {
  let now = 1_000;
  const clock = { now: () => now };
  const devices = new Devices({ settings: labStores().deviceSettings, clock, log: silentLog() });
  const streams = { mjpegUrl: null, h264Url: null, logs: null };
  const all = phones.map((each) => ({
    name: each.udid,
    platform: 'Android',
    osVersion: '1',
    node: null,
    ...streams,
    ...each,
  }));
  const source = listedDevices('phones', all);
  const report = (reported: readonly SourceDevice[] = all) => devices.report(source, reported);
  report();
  const request = (capabilities: unknown, change: Partial<DeviceRequest> = {}): DeviceRequest => ({
    views: phoneViews(capabilities),
    teamId: null,
    maySee: () => true,
    ...change,
  });
  const take = (capabilities: unknown, change: Partial<DeviceRequest> = {}) =>
    allocateDevice(devices, request(capabilities, change));
  const taken = (capabilities: unknown, change: Partial<DeviceRequest> = {}): string => {
    try {
      const { device } = take(capabilities, change);
      return device === null ? 'no phone' : device.udid;
    } catch (error) {
      if (!(error instanceof NoMatchingDevice)) throw error;
      return error.message;
    }
  };
  return { devices, take, taken, all, report, pass: (ms: number) => (now += ms) };
}

const NONE = 'no phone of this lab fits the capabilities';
const always = (capabilities: object) => ({ alwaysMatch: capabilities });
const wants = (device: unknown) => always({ 'svc:options': { device } });

describe('versions', () => {
  it.each([
    ['14', '14', true],
    ['14', '14.1', true],
    ['14.1', '14.1.2', true],
    ['14.1', '14.10', false],
    ['14', '1', false],
    ['1', '14', false],
    ['14.0', '14', true],
    ['14.1', '14', false],
    ['014', '14', true],
    ['R', 'R', true],
    ['R', 'r', false],
    ['14', '14-beta', false],
    ['14-beta', '14-beta', true],
    ['', '14', false],
  ])('a wanted %j fits a phone with %j: %s (contract 14.3)', (wanted, version, fits) => {
    expect(fitsVersion(wanted, version)).toBe(fits);
  });

  const version = fc.array(fc.nat(30), { minLength: 1, maxLength: 4 }).map((parts) => parts.join('.'));

  it('a version fits each of its beginnings and is neither below nor above it (contract 14.3)', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(30), { minLength: 1, maxLength: 4 }), fc.nat(3), (parts, length) => {
        const wanted = parts.slice(0, length + 1).join('.');
        expect(fitsVersion(wanted, parts.join('.'))).toBe(true);
        expect(compareAsFarAs(wanted, parts.join('.'))).toBe(0);
      }),
    );
  });

  it('a bound admits a version or excludes it from one side only (contract 14.3)', () => {
    fc.assert(
      fc.property(version, version, (bound, has) => {
        const order = compareAsFarAs(bound, has) as number;
        expect(order === 0).toBe(fitsVersion(bound, has));
        expect(order > 0 && order < 0).toBe(false);
      }),
    );
  });
});

describe('conditions', () => {
  it.each<[string, object, string]>([
    ['platformName in any letter case', { platformName: 'ios' }, '00008030-1'],
    ['appium:udid', { 'appium:udid': 'far' }, 'far'],
    ['a udid without prefix', { udid: 'far' }, 'far'],
    ['a udid in appium:options', { 'appium:options': { udid: 'far' } }, 'far'],
    ['appium:udid auto', { platformName: 'iOS', 'appium:udid': 'auto' }, '00008030-1'],
    ['appium:platformVersion', { 'appium:platformVersion': '12' }, 'emulator-5554'],
    ['appium:platformVersion as a number', { 'appium:platformVersion': 13 }, 'far'],
    ['a version prefix', { 'appium:platformVersion': '17.4' }, '00008030-1'],
    ['appium:iPhoneOnly', { 'appium:iPhoneOnly': true }, '00008030-1'],
    ['svc:iPhoneOnly', { 'svc:iPhoneOnly': true }, '00008030-1'],
    ['iPhoneOnly in svc:options', { 'svc:options': { iPhoneOnly: true } }, '00008030-1'],
    ['appium:avd', { 'appium:avd': 'Pixel_4_API_31' }, 'emulator-5554'],
    ['avd with @ in appium:options', { 'appium:options': { avd: '@pixel_4_api_31' } }, 'emulator-5554'],
    ['device.name', { 'svc:options': { device: { name: 'IPHONE' } } }, '00008030-1'],
    ['device.model', { 'svc:options': { device: { model: 'gphone' } } }, 'emulator-5554'],
    ['device.manufacturer', { 'svc:options': { device: { manufacturer: 'goog' } } }, 'pixel'],
    ['device.minVersion', { 'svc:options': { device: { minVersion: '17' } } }, '00008030-1'],
    ['device.maxVersion', { 'svc:options': { device: { maxVersion: '12' } } }, 'emulator-5554'],
    ['device.maxApiLevel', { 'svc:options': { device: { maxApiLevel: 33 } } }, 'emulator-5554'],
    ['device.kind', { 'svc:options': { device: { kind: 'emulator' } } }, 'emulator-5554'],
    ['device.tags', { 'svc:options': { device: { tags: ['fast', 'shelf-1'] } } }, 'pixel'],
    ['svc:options.tags', { 'svc:options': { tags: ['fast'] } }, 'pixel'],
    ['device.udids', { 'svc:options': { device: { udids: ['gone', 'far'] } } }, 'far'],
    ['device.node', { 'svc:options': { device: { node: 'node-1:4723' } } }, 'far'],
    ['device of lab:options', { 'lab:options': { device: { kind: 'emulator' } } }, 'emulator-5554'],
    ['a field that is null', { 'svc:options': { device: { kind: null, tags: ['fast'] } } }, 'pixel'],
  ])('%s chooses the phone (contract 14.3)', (_name, capabilities, udid) => {
    expect(labOf().taken(always(capabilities))).toBe(udid);
  });

  it.each<[string, unknown, string]>([
    ['an unknown field', { colour: 'red' }, 'svc:options.device.colour'],
    ['a name that is a number', { name: 7 }, 'svc:options.device.name'],
    ['an API level that is a text', { minApiLevel: '30' }, 'svc:options.device.minApiLevel'],
    ['an API level with a fraction', { maxApiLevel: 30.5 }, 'svc:options.device.maxApiLevel'],
    ['a version that is a number', { minVersion: 14 }, 'svc:options.device.minVersion'],
    ['a bound that is no version', { maxVersion: 'latest' }, 'svc:options.device.maxVersion'],
    ['an unknown kind', { kind: 'robot' }, 'svc:options.device.kind'],
    ['tags that are a text', { tags: 'fast' }, 'svc:options.device.tags'],
    ['udids with a number', { udids: ['a', 7] }, 'svc:options.device.udids'],
    ['no udid at all', { udids: [] }, 'svc:options.device.udids'],
    ['a list in place of the object', ['fast'], 'svc:options.device'],
    ['a text in place of the object', 'Pixel', 'svc:options.device'],
    ['a prototype field', JSON.parse('{"__proto__": 1}'), 'svc:options.device.__proto__'],
    ['a field of objects', { constructor: 'x' }, 'svc:options.device.constructor'],
  ])('%s is refused with its name (contract 14.3)', (_name, device, named) => {
    expect(() => phoneViews(wants(device))).toThrow(UnusableCondition);
    expect(() => phoneViews(wants(device))).toThrow(named);
    expect(() => phoneViews({ firstMatch: [{}, wants(device).alwaysMatch] })).toThrow(named);
  });

  it('a fact that a phone lacks fits no condition on it (contract 14.3)', () => {
    const lab = labOf([{ udid: 'bare', osVersion: 'unknown' }]);
    for (const device of [
      { model: 'a' },
      { kind: 'real' },
      { minApiLevel: 0 },
      { minVersion: '1' },
      { node: 'n' },
    ])
      expect(lab.taken(wants(device))).toContain('; the lab has none');
    expect(lab.taken(always({ 'appium:avd': 'x' }))).toContain('; the lab has none');
    expect(lab.taken(always({ 'appium:platformVersion': 'unknown' }))).toContain('; the lab has none');
  });

  it('deviceName narrows only where a phone that fits otherwise has this name or model (contract 14.3)', () => {
    const lab = labOf();
    expect(lab.taken(always({ 'appium:deviceName': 'SDK_GPHONE64' }))).toBe('emulator-5554');
    expect(lab.taken(always({ 'appium:deviceName': 'SDK_GPHONE64' }))).toBe('every phone that fits is busy');
    expect(lab.taken(always({ 'appium:deviceName': 'Android' }))).toBe('pixel');
    const ios = always({ platformName: 'iOS', 'appium:deviceName': 'Pixel 8' });
    expect(lab.taken(ios)).toBe('00008030-1');
  });
});

describe('views', () => {
  it('a long text of a client is not converted for each phone and view (contract 14.3)', () => {
    const { devices } = labOf(Array.from({ length: 50 }, (_, at) => ({ udid: `p-${at}`, name: 'Phone' })));
    const visible = devices.list().map((device) => ({ device, tags: [] }));
    const states = { devices, claimOn: () => 'none' as const, holderId: null };
    const convert = vi.spyOn(String.prototype, 'toLowerCase');
    const text = 'x'.repeat(100_000);
    for (const name of [
      'platformName',
      'appium:deviceName',
      'appium:udid',
      'appium:avd',
      'appium:automationName',
    ])
      phoneMatches(phoneViews({ firstMatch: Array(8).fill({ [name]: text }) }), visible, states);
    const converted = convert.mock.contexts.reduce<number>((sum, each) => sum + String(each).length, 0);
    convert.mockRestore();
    expect(converted).toBeLessThan(text.length);
  });

  it('the first view with a free phone is taken, and only it stays (contract 14.3)', () => {
    const lab = labOf();
    const capabilities = {
      alwaysMatch: { platformName: 'Android' },
      firstMatch: [{ 'appium:platformVersion': '99' }, { 'appium:platformVersion': '12' }, {}],
    };
    const first = lab.take(capabilities);
    expect([first.device?.udid, first.view.index]).toEqual(['emulator-5554', 1]);
    const second = lab.take(capabilities);
    expect([second.device?.udid, second.view.index]).toEqual(['pixel', 2]);
    keepView(capabilities, 1);
    expect(capabilities.firstMatch).toEqual([{ 'appium:platformVersion': '12' }]);
  });

  it.each<[string, object]>([
    ['platformName linux', { platformName: 'linux' }],
    ['platformName Mac', { platformName: 'Mac' }],
    ['automationName Chromium', { 'appium:automationName': 'Chromium' }],
    ['automationName gecko in appium:options', { 'appium:options': { automationName: 'gecko' } }],
    ['automationName Safari', { platformName: 'mac', 'appium:automationName': 'Safari' }],
  ])('a create for a desktop takes no phone: %s (contract 14.3)', (_name, capabilities) => {
    const lab = labOf();
    expect(lab.taken(always(capabilities))).toBe('no phone');
    expect(lab.devices.list().every(({ udid }) => lab.devices.statusOf(udid) === 'free')).toBe(true);
  });
});

describe('the order of free phones', () => {
  it('a lease comes first, then the phone that was idle longest (contract 14.3)', () => {
    const lab = labOf();
    const android = always({ platformName: 'Android' });
    expect([lab.taken(android), lab.taken(android)]).toEqual(['pixel', 'emulator-5554']);
    lab.pass(1_000);
    lab.devices.release('emulator-5554');
    lab.pass(1_000);
    lab.devices.release('pixel');
    expect(lab.taken(android)).toBe('far');
    lab.pass(1_000);
    lab.devices.release('far');
    const claimOn = (udid: string) => (udid === 'pixel' ? 'own' : udid === 'far' ? 'others' : 'none');
    expect(lab.taken(android, { claimOn })).toBe('pixel');
    expect(lab.taken(android, { claimOn })).toBe('emulator-5554');
    expect(lab.taken(android, { claimOn })).toBe('every phone that fits is busy');
  });

  it('a phone that comes back has been idle only since then', () => {
    const lab = labOf();
    lab.pass(500);
    lab.report(lab.all.slice(1));
    lab.report();
    expect([lab.devices.idleSinceOf('pixel'), lab.devices.idleSinceOf('far')]).toEqual([1_500, 1_000]);
    lab.devices.hold('far');
    expect(lab.devices.idleSinceOf('far')).toBeNull();
  });
});

describe('the refusal', () => {
  it.each<[string, object, string]>([
    [
      'a version',
      { platformName: 'Android', 'appium:platformVersion': '99' },
      'appium:platformVersion 99; the lab has 12, 13, 14, 17.4.1',
    ],
    ['a platform', { platformName: 'tvOS' }, 'platformName tvOS; the lab has Android, iOS'],
    ['a tag', { 'svc:options': { tags: ['slow'] } }, 'svc:options.tags slow; the lab has fast, shelf-1'],
    [
      'an API level',
      { 'svc:options': { device: { minApiLevel: 40 } } },
      'svc:options.device.minApiLevel 40; the lab has 31, 34',
    ],
    [
      'a control character',
      { 'appium:udid': 'a\nb' },
      'appium:udid a b; the lab has 00008030-1, emulator-5554, far, pixel',
    ],
  ])(
    'the refusal says what the lab has where one condition excludes all: %s (contract 14.3)',
    (_name, capabilities, rest) => {
      expect(labOf().taken(always(capabilities))).toBe(`${NONE}: ${rest}`);
    },
  );

  it('the refusal names no condition where several exclude the phones together (contract 14.3)', () => {
    expect(labOf().taken(always({ platformName: 'iOS', 'appium:platformVersion': '14' }))).toBe(NONE);
    expect(labOf([]).taken(always({ platformName: 'iOS' }))).toBe(NONE);
  });

  it('the refusal lists at most 10 values, sorted by number (contract 14.3)', () => {
    const phones = Array.from({ length: 30 }, (_, at) => ({ udid: `p${at}`, osVersion: `${30 - at}` }));
    const [, has = ''] = labOf(phones)
      .taken(always({ 'appium:platformVersion': '99' }))
      .split('the lab has ');
    expect(has).toBe('1, 2, 3, 4, 5, 6, 7, 8, 9, 10');
  });
});

describe('properties', () => {
  const text = fc.constantFrom('a', 'b', 'ab', 'Pixel');
  const phone = fc.record({
    name: text,
    platform: fc.constantFrom('Android', 'iOS'),
    osVersion: fc.constantFrom('12', '14', '14.1', '14.10', 'R'),
    model: fc.option(text),
    manufacturer: fc.option(text),
    apiLevel: fc.option(fc.integer({ min: 28, max: 35 })),
    kind: fc.option(fc.constantFrom('real' as const, 'emulator' as const)),
    avd: fc.option(text),
    sourceTags: fc.subarray(['x', 'y']),
    team: fc.option(fc.constantFrom('qa', 'dev')),
    isBusy: fc.boolean(),
  });
  const phones = fc.array(phone, { maxLength: 8 });
  const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
  const view = fc
    .record({
      platformName: optional(fc.constantFrom('android', 'IOS')),
      'appium:platformVersion': optional(fc.constantFrom('12', '14', '14.1', 'R')),
      'appium:avd': optional(text),
      'appium:deviceName': optional(text),
      'svc:options': optional(
        fc.record({
          device: fc.record(
            {
              name: text,
              minVersion: fc.constantFrom('12', '14.1'),
              maxApiLevel: fc.integer({ min: 28, max: 35 }),
              kind: fc.constantFrom('real', 'emulator'),
              tags: fc.subarray(['x', 'y']),
            },
            { requiredKeys: [] },
          ),
        }),
      ),
    })
    .map((capabilities) =>
      Object.fromEntries(Object.entries(capabilities).filter(([, value]) => value !== undefined)),
    );
  const create = fc.array(view, { minLength: 1, maxLength: 3 }).map((firstMatch) => ({ firstMatch }));

  function worldOf(given: readonly (typeof phone extends fc.Arbitrary<infer P> ? P : never)[]) {
    const lab = labOf(given.map(({ team, isBusy, ...facts }, at) => ({ udid: `p-${at}`, ...facts })));
    for (const [at, { team, isBusy }] of given.entries()) {
      lab.devices.change(`p-${at}`, { teamId: team });
      if (isBusy) lab.devices.hold(`p-${at}`);
    }
    return lab;
  }

  it('a phone that is taken is free, visible and fits the view that stays (contract 14.3)', () => {
    const maySee = (teamId: string | null) => teamId !== 'qa';
    fc.assert(
      fc.property(phones, create, (given, capabilities) => {
        const lab = worldOf(given);
        const before = lab.devices.list().map(({ udid }) => [udid, lab.devices.statusOf(udid)]);
        let taken: ReturnType<typeof lab.take>;
        try {
          taken = lab.take(capabilities, { maySee });
        } catch (error) {
          expect(error).toBeInstanceOf(NoMatchingDevice);
          return;
        }
        const { device, view: chosen } = taken;
        expect(before).toContainEqual([device?.udid, 'free']);
        expect(device?.teamId).not.toBe('qa');
        const facts = given[Number(device?.udid.slice(2))];
        const wanted = capabilities.firstMatch[chosen.index as number] as Record<
          string,
          string | undefined
        > & {
          'svc:options'?: {
            device: Record<string, unknown> & { name?: string; maxApiLevel?: number; tags?: string[] };
          };
        };
        const options = wanted['svc:options']?.device ?? {};
        const fits = [
          (wanted.platformName ?? facts?.platform)?.toLowerCase() === facts?.platform.toLowerCase(),
          wanted['appium:platformVersion'] === undefined ||
            fitsVersion(wanted['appium:platformVersion'], facts?.osVersion as string),
          wanted['appium:avd'] === undefined ||
            facts?.avd?.toLowerCase() === wanted['appium:avd'].toLowerCase(),
          facts?.name.toLowerCase().includes((options.name ?? '').toLowerCase()),
          options.kind === undefined || facts?.kind === options.kind,
          options.maxApiLevel === undefined || (facts?.apiLevel ?? 99) <= options.maxApiLevel,
          (options.tags ?? []).every((tag: string) => facts?.sourceTags.includes(tag)),
        ];
        expect(fits).toEqual(fits.map(() => true));
      }),
    );
  });

  it('phones that the caller does not see change no byte of an answer (contract 3.5)', () => {
    const maySee = (teamId: string | null) => teamId !== 'qa';
    fc.assert(
      fc.property(phones, create, (given, capabilities) => {
        const seen = given.filter(({ team }) => team !== 'qa');
        const answerOf = (those: typeof given) => {
          const lab = worldOf(those);
          const answer = lab.taken(capabilities, { maySee });
          const at = Number(answer.slice(2));
          return answer.startsWith('p-') ? seen.indexOf(those[at] as (typeof given)[number]) : answer;
        };
        expect(answerOf(given)).toEqual(answerOf(seen));
      }),
    );
  });
});
