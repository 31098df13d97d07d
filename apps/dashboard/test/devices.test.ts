import { describe, expect, it } from 'vitest';
import { actionOf, countsOf, isMine, stateOf } from '../src/pages/devices/device-holder.ts';
import { viewOf } from '../src/pages/devices/device-view.ts';
import { choicesOf, findDevices, NONE, namesOf, type Wanted } from '../src/pages/devices/find-devices.ts';
import { nextStep, stepsOf } from '../src/pages/devices/first-run-steps.ts';
import { firstTest } from '../src/pages/devices/first-test.ts';
import type { Device } from '../src/pages/devices/seen-devices.ts';
import { tagsOf } from '../src/pages/devices/tags-of.ts';
import { lastMonths, partsOf, percentText } from '../src/pages/devices/use-parts.ts';
import { retryPause } from '../src/screen/retry-pause.ts';
import { ThumbnailTurns } from '../src/screen/thumbnail-turns.ts';
import { durationText } from '../src/ui/duration-text.ts';

const device = (udid: string, change: Partial<Device> = {}): Device => ({
  udid,
  name: udid,
  platform: 'Fake',
  osVersion: '1',
  team: null,
  node: null,
  status: 'free',
  note: null,
  outOfService: null,
  health: null,
  failureRate: null,
  tags: [],
  model: null,
  manufacturer: null,
  apiLevel: null,
  kind: null,
  avd: null,
  idleSince: null,
  ...change,
});

const ME = 'me';
const ALL: Wanted = { search: '', status: '', platform: '', version: '', team: '', node: '', tag: '' };

describe('phones that are looked for', () => {
  const devices = [
    device('phone 10', { tags: ['Slow'], note: 'Cracked glass' }),
    device('phone 9', { status: 'busy', team: { id: 't', name: 'Red' } }),
    device('phone 1', { lease: { owner: { id: 'a', email: 'ana@lab' }, expiresAt: '' } }),
  ];
  const found = (search: string, status: Device['status'] | '' = '') =>
    findDevices(devices, { ...ALL, search, status }, ME).map(({ udid }) => udid);

  it('phones of a search are found by any text of theirs, and stand in the order of their numbers', () => {
    expect(found('')).toEqual(['phone 10', 'phone 1', 'phone 9']);
    expect(found(' slow ')).toEqual(['phone 10']);
    expect(found('cracked')).toEqual(['phone 10']);
    expect(found('red')).toEqual(['phone 9']);
    expect(found('ANA@')).toEqual(['phone 1']);
    expect(found('', 'busy')).toEqual(['phone 9']);
    expect(found('slow', 'busy')).toEqual([]);
  });

  it('phones of a search are filtered by platform, version, team, node and tag, with those that are away last', () => {
    const red = { id: 'r', name: 'Red' };
    const many = [
      device('a', { platform: 'Android', osVersion: '14', status: 'away', tags: ['slow', 'lab'] }),
      device('b', { platform: 'Android', osVersion: '9', node: 'n1', team: red }),
      device('c', { platform: 'iOS', osVersion: '14', node: 'n2', tags: ['lab'] }),
    ];
    const by = (wanted: Partial<Wanted>) =>
      findDevices(many, { ...ALL, ...wanted }, ME)
        .map(({ udid }) => udid)
        .join('');
    expect(by({})).toBe('bca');
    expect(by({ platform: 'Android' })).toBe('ba');
    expect(by({ platform: 'Android', version: '14' })).toBe('a');
    expect(by({ team: 'r' })).toBe('b');
    expect(by({ team: NONE })).toBe('ca');
    expect(by({ node: 'n2' })).toBe('c');
    expect(by({ node: NONE })).toBe('a');
    expect(by({ tag: 'lab' })).toBe('ca');
    const values = (filter: 'version' | 'team' | 'tag', wanted: Partial<Wanted> = {}) =>
      choicesOf(many, filter, { ...ALL, ...wanted }).map(({ value, label }) => [value, label]);
    expect(values('version')).toEqual([
      ['9', '9'],
      ['14', '14'],
    ]);
    expect(values('version', { platform: 'iOS' })).toEqual([['14', '14']]);
    expect(values('team')).toEqual([
      [NONE, null],
      ['r', 'Red'],
    ]);
    // A link may name a value that no phone has any more.
    expect(values('tag', { tag: 'gone' }).map(([value]) => value)).toEqual(['gone', 'lab', 'slow']);
  });

  it('phones with the same name are distinguished by their node, or by their UDID', () => {
    const same = ['u1', 'u2', 'u3'].map((udid, at) =>
      device(udid, { name: 'Pixel', node: at === 0 ? 'n1' : 'n2' }),
    );
    expect([...namesOf([...same, device('other')]).values()]).toEqual([
      'Pixel · n1',
      'Pixel · u2',
      'Pixel · u3',
      'other',
    ]);
  });

  it('phones of a search are sorted by own, free, in use, out of service and away, and then by name', () => {
    const owner = { id: ME, email: 'me@lab' };
    const outOfService = { reason: 'battery', by: null, since: '', until: null };
    const phones = [
      device('away', { status: 'away', lease: { owner, expiresAt: '' } }),
      device('out', { outOfService }),
      device('used', { status: 'busy' }),
      device('held', { lease: { owner: { id: 'ana', email: 'ana@lab' }, expiresAt: '' } }),
      device('free 2'),
      device('free 1'),
      device('mine', { status: 'busy', session: { id: 's', name: null, owner, startedAt: '' } }),
    ];
    expect(findDevices(phones, ALL, ME).map(({ udid }) => udid)).toEqual([
      'mine',
      'free 1',
      'free 2',
      'held',
      'used',
      'out',
      'away',
    ]);
    expect(phones.map(stateOf)).toEqual(['away', 'out', 'busy', 'leased', 'free', 'free', 'busy']);
    expect(countsOf(phones)).toEqual([
      ['free', 2],
      ['busy', 2],
      ['leased', 1],
      ['out', 1],
      ['away', 1],
    ]);
    expect(phones.map((phone) => actionOf(phone, ME))).toEqual([
      undefined,
      'watch',
      'watch',
      'watch',
      'lease',
      'lease',
      'control',
    ]);
  });

  it('phones of a search are a list from nine on and tiles below, unless the user has chosen a view', () => {
    expect([8, 9].map((phones) => viewOf(null, phones))).toEqual(['grid', 'list']);
    expect(viewOf('grid', 20)).toBe('grid');
    expect(viewOf('list', 1)).toBe('list');
    expect(viewOf('anything else', 20)).toBe('list');
  });

  it('phones of a search are mine while I lease them or use them', () => {
    const owner = { id: 'ana', email: 'ana@lab' };
    expect(isMine({ lease: { owner, expiresAt: '' } }, 'ana')).toBe(true);
    expect(isMine({ session: { id: 's', name: null, owner, startedAt: '' } }, 'ana')).toBe(true);
    expect(isMine({ lease: { owner, expiresAt: '' } }, 'bob')).toBe(false);
  });

  it('phones of a search have tags as the API takes them', () => {
    expect(tagsOf(' a \n\na\nb\r\n')).toEqual(['a', 'b']);
    expect(tagsOf('x'.repeat(70))).toEqual(['x'.repeat(64)]);
    expect(tagsOf(Array.from({ length: 60 }, (_, index) => `t${index}`).join('\n'))).toHaveLength(50);
  });
});

describe('the first steps', () => {
  const facts = { isSuperAdmin: true, builtInPassword: true, hasToken: false, hasRun: false, hasSeen: false };

  it('the first steps begin with the password for who looks after the lab, and end with a test that is seen', () => {
    expect(stepsOf(facts).map(({ name }) => name)).toEqual(['password', 'token', 'test', 'live']);
    expect(stepsOf({ ...facts, isSuperAdmin: false })[0]?.name).toBe('token');
    expect(nextStep(stepsOf({ ...facts, builtInPassword: false, hasToken: true }))?.name).toBe('test');
    const all = { ...facts, builtInPassword: false, hasToken: true, hasRun: true, hasSeen: true };
    expect(nextStep(stepsOf(all))).toBeUndefined();
  });

  it('the first steps give a test whose values cannot leave their quotes', () => {
    const lab = { url: 'https://lab.example', basePath: '/wd/hub', capabilities: { 'a"b': "'`{1}" } };
    const code = firstTest(lab, 'svc_a', '"); evil(');
    expect(code).toContain('new URL("https://lab.example/wd/hub")');
    expect(code).toContain('const token = "\\"); evil(";');
    expect(code).toContain('"a\\"b": "\'`{1}"');
  });

  it('the first steps give a test that goes through the path of a proxy', () => {
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
  it('times on a page are told in their two largest units', () => {
    expect([-1, 999, 59_000, 61_000, 3_600_000, 90_000_000].map(durationText)).toEqual([
      '0 s',
      '0 s',
      '59 s',
      '1 min 1 s',
      '1 h 0 min',
      '25 h 0 min',
    ]);
  });

  it('the pauses between retries grow up to a limit', () => {
    expect([1, 2, 3, 4, 5, 9].map(retryPause)).toEqual([500, 1_000, 2_000, 4_000, 8_000, 8_000]);
  });
});

it('the use of a phone is a part of the time for which it was present (contract 13)', () => {
  const use = { presentSeconds: 200, busySeconds: 50, leasedSeconds: 100, waitedSeconds: 0 };
  expect(partsOf(use)).toEqual({ busy: 0.25, leased: 0.5, waited: 0 });
  expect(partsOf({ ...use, presentSeconds: 0 })).toEqual({ busy: 0, leased: 0, waited: 0 });
  expect([percentText(50, 200), percentText(1, 1_000), percentText(0, 5), percentText(5, 0)]).toEqual([
    '25',
    '<1',
    '0',
    '0',
  ]);
});

describe('thumbnails', () => {
  it('thumbnails load two at a time, only while they are visible, every 5 s, and less often without a picture', async () => {
    let now = 0;
    let isPaused = false;
    const turns = new ThumbnailTurns<string>({ now: () => now, isPaused: () => isPaused });
    const began: string[] = [];
    const ends = new Map<string, (isShown: boolean) => void>();
    for (const key of ['a', 'b', 'c', 'd']) {
      turns.add(key, () => {
        began.push(key);
        return new Promise((end) => ends.set(key, end));
      });
      turns.setVisible(key, key !== 'd');
    }
    const end = async (key: string, isShown = true) => {
      ends.get(key)?.(isShown);
      await Promise.resolve();
      await Promise.resolve();
    };
    isPaused = true;
    turns.next();
    expect(began).toEqual([]);
    isPaused = false;
    for (let turn = 0; turn < 5; turn += 1) turns.next();
    expect(began).toEqual(['a', 'b']);
    await end('a');
    await end('b', false);
    for (let turn = 0; turn < 5; turn += 1) turns.next();
    expect(began).toEqual(['a', 'b', 'c']);
    await end('c');
    now = 5_000;
    for (let turn = 0; turn < 5; turn += 1) turns.next();
    expect(began).toEqual(['a', 'b', 'c', 'a', 'c']);
    await end('a');
    turns.remove('c');
    now = 30_000;
    turns.next();
    turns.next();
    expect(began.slice(5)).toEqual(['a', 'b']);
    for (const key of ['a', 'b', 'd']) turns.remove(key);
  });
});

it('the months to choose from are this one and the eleven before it, also over the turn of a year', () => {
  const months = lastMonths(new Date('2026-01-31T23:00:00.000Z'));
  expect([months.length, months[0], months[1], months[11]]).toEqual([12, '2026-01', '2025-12', '2025-02']);
});
