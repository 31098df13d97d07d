import { expect, it } from 'vitest';
import { deviceList } from '../src/environment/device-list.ts';

const phone = (change: object) =>
  JSON.stringify([{ udid: 'u', name: 'n', platform: 'Android', osVersion: '15', ...change }]);

it('the list of phones trims the texts of a phone, and refuses blank ones with the entry and the field (contract 5)', () => {
  expect(deviceList(phone({ udid: ' u-1 ', name: '\tPixel 8 ' }))).toMatchObject([
    { udid: 'u-1', name: 'Pixel 8' },
  ]);
  for (const field of ['udid', 'name', 'platform', 'osVersion'])
    expect(() => deviceList(phone({ [field]: '  ' }))).toThrow(`entry 1: ${field} is not a text`);
});

it('the list of phones names where its JSON is wrong, and quotes nothing of it (contract 5)', () => {
  const message = (text: string) => {
    try {
      return deviceList(text);
    } catch (error) {
      return (error as Error).message;
    }
  };
  expect(message('[{"udid": "hunter2" "name": "n"}]')).toMatch(/^is not JSON( at position \d+)?$/);
  expect(message('hunter2')).toBe('is not JSON');
  expect(message('{}')).toBe('is not a JSON array of phones');
});
