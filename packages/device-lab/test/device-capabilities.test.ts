import { describe, expect, it } from 'vitest';
import { requestedDevice } from '../src/device-capabilities.ts';

const UDID = 'appium:udid';
const OPTIONS = 'appium:options';

describe('(contract 6.4) the phone that is asked for', () => {
  it.each<[string, object, string | null, string | null]>([
    ['alwaysMatch', { alwaysMatch: { [UDID]: 'p1' } }, 'p1', null],
    ['firstMatch', { firstMatch: [{ [UDID]: 'p1' }] }, 'p1', null],
    ['appium:options', { alwaysMatch: { [OPTIONS]: { udid: 'p1' } } }, 'p1', null],
    ['appium:options, prefixed', { firstMatch: [{ [OPTIONS]: { [UDID]: 'p1' } }] }, 'p1', null],
    ['beside appium:options', { alwaysMatch: { [UDID]: 'p1', [OPTIONS]: { udid: 'p2' } } }, 'p1', null],
    [
      'the first view that names one, with its platform',
      {
        alwaysMatch: { platformName: 'Android' },
        firstMatch: [{}, { platformName: 'iOS', [UDID]: 'p2' }, { [UDID]: 'p3' }],
      },
      'p2',
      'iOS',
    ],
    ['none, then the first platform', { firstMatch: [{ platformName: 'iOS' }, {}] }, null, 'iOS'],
    ['the platform of alwaysMatch', { alwaysMatch: { platformName: 'Fake' } }, null, 'Fake'],
    ['no text', { alwaysMatch: { [UDID]: 7, platformName: ['iOS'] } }, null, null],
    ['no text in appium:options', { alwaysMatch: { [OPTIONS]: { udid: {} } } }, null, null],
    ['appium:options that are no object', { alwaysMatch: { [OPTIONS]: 'udid' } }, null, null],
    ['nothing', {}, null, null],
  ])('%s', (_name, capabilities, udid, platform) => {
    expect(requestedDevice(capabilities)).toEqual({ udid, platform, families: [] });
  });

  it.each([undefined, null, 'x', []])('%j asks for none', (capabilities) => {
    expect(requestedDevice(capabilities)).toEqual({ udid: null, platform: null, families: [] });
  });
});

describe('iPhoneOnly and iPadOnly (spec 9.2)', () => {
  it.each<[string, object, string[]]>([
    ['appium:iPhoneOnly', { alwaysMatch: { 'appium:iPhoneOnly': true } }, ['iPhone']],
    ['svc:iPadOnly', { firstMatch: [{ 'svc:iPadOnly': true }] }, ['iPad']],
    ['svc:options', { alwaysMatch: { 'svc:options': { iPadOnly: true } } }, ['iPad']],
    ['lab:options', { alwaysMatch: { 'lab:options': { iPhoneOnly: true } } }, ['iPhone']],
    ['appium:options', { alwaysMatch: { [OPTIONS]: { iPhoneOnly: true } } }, ['iPhone']],
    ['appium:options, prefixed', { alwaysMatch: { [OPTIONS]: { 'appium:iPadOnly': true } } }, ['iPad']],
    ['both', { alwaysMatch: { 'appium:iPhoneOnly': true, 'appium:iPadOnly': true } }, ['iPhone', 'iPad']],
    ['false', { alwaysMatch: { 'appium:iPhoneOnly': false, 'svc:options': { iPadOnly: 'true' } } }, []],
    ['another combination', { firstMatch: [{ [UDID]: 'p1' }, { 'appium:iPhoneOnly': true }] }, []],
  ])('%s', (_name, capabilities, families) => {
    expect(requestedDevice(capabilities).families).toEqual(families);
  });
});
