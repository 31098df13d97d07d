import { describe, expect, it } from 'vitest';
import { findDevices } from '../src/pages/devices/find-devices.ts';
import { nextStep, stepsOf } from '../src/pages/devices/first-run-steps.ts';
import { firstTest } from '../src/pages/devices/first-test.ts';
import type { Device } from '../src/pages/devices/seen-devices.ts';
import { tagsOf } from '../src/pages/devices/tags-of.ts';
import { retryPause } from '../src/screen/retry-pause.ts';
import { durationText } from '../src/ui/duration-text.ts';

const device = (udid: string, change: Partial<Device> = {}): Device => ({
  udid,
  name: udid,
  platform: 'Fake',
  osVersion: '1',
  team: null,
  node: null,
  status: 'free',
  tags: [],
  ...change,
});

describe('phones that are looked for', () => {
  const devices = [
    device('phone 10', { tags: ['Slow'] }),
    device('phone 9', { status: 'busy', team: { id: 't', name: 'Red' } }),
    device('phone 1', { lease: { owner: { id: 'a', email: 'ana@lab' }, expiresAt: '' } }),
  ];
  const found = (search: string, status: Device['status'] | '' = '') =>
    findDevices(devices, search, status).map(({ udid }) => udid);

  it('are found by any text of theirs, and stand in the order of their numbers', () => {
    expect(found('')).toEqual(['phone 1', 'phone 9', 'phone 10']);
    expect(found(' slow ')).toEqual(['phone 10']);
    expect(found('red')).toEqual(['phone 9']);
    expect(found('ANA@')).toEqual(['phone 1']);
    expect(found('', 'busy')).toEqual(['phone 9']);
    expect(found('slow', 'busy')).toEqual([]);
  });

  it('have tags as the API takes them', () => {
    expect(tagsOf(' a \n\na\nb\r\n')).toEqual(['a', 'b']);
    expect(tagsOf('x'.repeat(70))).toEqual(['x'.repeat(64)]);
    expect(tagsOf(Array.from({ length: 60 }, (_, index) => `t${index}`).join('\n'))).toHaveLength(50);
  });
});

describe('the first steps', () => {
  const facts = { isSuperAdmin: true, builtInPassword: true, hasToken: false, hasRun: false, hasSeen: false };

  it('begin with the password for who looks after the lab, and end with a test that is seen', () => {
    expect(stepsOf(facts).map(({ name }) => name)).toEqual(['password', 'token', 'test', 'live']);
    expect(stepsOf({ ...facts, isSuperAdmin: false })[0]?.name).toBe('token');
    expect(nextStep(stepsOf({ ...facts, builtInPassword: false, hasToken: true }))?.name).toBe('test');
    const all = { ...facts, builtInPassword: false, hasToken: true, hasRun: true, hasSeen: true };
    expect(nextStep(stepsOf(all))).toBeUndefined();
  });

  it('give a test whose values cannot leave their quotes', () => {
    const lab = { url: 'https://lab.example', basePath: '/wd/hub', capabilities: { 'a"b': "'`{1}" } };
    const code = firstTest(lab, 'svc_a', '"); evil(');
    expect(code).toContain('new URL("https://lab.example/wd/hub")');
    expect(code).toContain('const token = "\\"); evil(";');
    expect(code).toContain('"a\\"b": "\'`{1}"');
  });

  it('give a test that goes through the path of a proxy', () => {
    const at = (url: string, basePath: string) =>
      firstTest({ url, basePath, capabilities: {} }, 'svc_a', 't');
    expect(at('https://lab.example/phones', '/wd/hub')).toContain(
      'new URL("https://lab.example/phones/wd/hub")',
    );
    expect(at('https://lab.example/phones', '')).toContain('new URL("https://lab.example/phones")');
    expect(at('https://lab.example', '')).toContain('new URL("https://lab.example")');
  });
});

describe('times', () => {
  it('are told in their two largest units', () => {
    expect([-1, 999, 59_000, 61_000, 3_600_000, 90_000_000].map(durationText)).toEqual([
      '0 s',
      '0 s',
      '59 s',
      '1 min 1 s',
      '1 h 0 min',
      '25 h 0 min',
    ]);
  });

  it('between tries grow to a bound', () => {
    expect([1, 2, 3, 4, 5, 9].map(retryPause)).toEqual([500, 1_000, 2_000, 4_000, 8_000, 8_000]);
  });
});
