import { describe, expect, it } from 'vitest';
import { adbProperties } from '../src/sources/adb/adb-properties.ts';

const dump = (properties: Record<string, string>) =>
  Object.entries(properties)
    .map(([name, value]) => `[${name}]: [${value}]\r\n`)
    .join('');

describe('the properties of an Android device', () => {
  it('a phone has its version, model, manufacturer and API level from getprop (contract 14.4)', () => {
    const text = dump({
      'ro.build.version.release': '14',
      'ro.build.version.sdk': '34',
      'ro.product.manufacturer': 'Google',
      'ro.product.model': 'Pixel 8',
    });
    const facts = { model: 'Pixel 8', manufacturer: 'Google', apiLevel: 34, kind: 'real', avd: null };
    expect(adbProperties('u1', text)).toEqual({ osVersion: '14', facts });
  });

  it.each([
    ['emulator-5554', { 'ro.boot.qemu.avd_name': 'Pixel_4' }],
    ['10.0.0.1:5555', { 'ro.kernel.qemu': '1', 'ro.kernel.qemu.avd_name': 'Pixel_4' }],
  ])(
    'an emulator at %s is known as one, with the name of its virtual device (contract 14.3)',
    (serial, own) => {
      expect(adbProperties(serial, dump(own)).facts).toMatchObject({ kind: 'emulator', avd: 'Pixel_4' });
    },
  );

  it('a device that answers with one text has this version and no other fact', () => {
    expect(adbProperties('u1', '15\n')).toMatchObject({
      osVersion: '15',
      facts: { model: null, apiLevel: null },
    });
    expect(adbProperties('u1', 'error: closed')).toMatchObject({ osVersion: 'unknown' });
  });
});
