import { describe, expect, it } from 'vitest';
import { changedDescription } from '../src/pages/devices/changed-description.ts';
import { healthDays } from '../src/pages/devices/health-days.ts';
import { HEIGHT, linePath, WIDTH } from '../src/pages/devices/line-path.ts';
import { removalName } from '../src/ui/removal-name.ts';

const HOUR_MS = 60 * 60_000;
const scale = { from: 0, to: 7 * 24 * HOUR_MS, low: 0, high: 100 };

describe('the drawing of a week', () => {
  it('the line connects the readings of a phone and stays within the edges of the drawing (contract 17.2)', () => {
    const points = [
      { at: 0, value: 100 },
      { at: HOUR_MS / 2, value: 250 },
      { at: HOUR_MS, value: -5 },
    ];
    expect(linePath(points, scale)).toBe(`M0 0h0L2.1 0L4.2 ${HEIGHT}`);
    expect(linePath([{ at: scale.to, value: 50 }], scale)).toBe(`M${WIDTH} ${HEIGHT / 2}h0`);
  });

  it('the line is interrupted while a phone was not read, and leaves out what the phone did not report (contract 17.2)', () => {
    const points = [
      { at: -HOUR_MS, value: 10 },
      { at: HOUR_MS, value: null },
      { at: 2 * HOUR_MS, value: 50 },
      { at: 10 * HOUR_MS, value: 50 },
    ];
    expect(linePath(points, scale)).toBe('M8.3 20h0M41.7 20h0');
    expect(linePath([], scale)).toBe('');
  });
});

it('each day shows its sessions and the lowest and highest readings, the newest day first (contract 17.2)', () => {
  const probe = (at: string, battery: number | null, temperature: number | null) => ({
    ...{ at, battery, temperature },
    storageFree: null,
  });
  const days = healthDays({
    probes: [
      probe('2030-01-01T23:59:00.000Z', 80, null),
      probe('2030-01-03T08:00:00.000Z', 40, 31.5),
      probe('2030-01-03T09:00:00.000Z', null, 29),
    ],
    days: [
      { day: '2030-01-02T00:00:00.000Z', ended: 4, failed: 1, refused: 2 },
      { day: '2030-01-03T00:00:00.000Z', ended: 1, failed: 0, refused: 0 },
    ],
  });
  expect(days).toEqual([
    {
      ...{ day: '2030-01-03T00:00:00.000Z', ended: 1, failed: 0, refused: 0 },
      ...{ battery: [40, 40], temperature: [29, 31.5] },
    },
    {
      ...{ day: '2030-01-02T00:00:00.000Z', ended: 4, failed: 1, refused: 2 },
      ...{ battery: null, temperature: null },
    },
    {
      ...{ day: '2030-01-01T00:00:00.000Z', ended: 0, failed: 0, refused: 0 },
      ...{ battery: [80, 80], temperature: null },
    },
  ]);
});

describe('the name and the note that an Admin saves', () => {
  const phone = { name: 'Pixel 8', note: 'left\nshelf' };

  it('a name and a note are sent only if they differ, so that a phone keeps its own name (contract 17.1)', () => {
    expect(changedDescription(phone, ' Pixel 8 ', 'left\r\nshelf\r\n')).toBeUndefined();
    expect(changedDescription({ ...phone, note: null }, 'Pixel 8', '')).toBeUndefined();
    expect(changedDescription(phone, 'Camera', 'left\nshelf')).toEqual({ name: 'Camera' });
  });

  it('empty fields clear the name and the note of a phone (contract 17.1)', () => {
    expect(changedDescription(phone, '', ' ')).toEqual({ name: '', note: '' });
  });
});

it('a removed value is named in words, and a package or a path as it is (contract 17.3)', () => {
  expect(['httpProxy', 'com.left.shop', '/sdcard/Download/a.txt', 'constructor'].map(removalName)).toEqual([
    'HTTP proxy',
    'com.left.shop',
    '/sdcard/Download/a.txt',
    'constructor',
  ]);
});
