import { describe, expect, it } from 'vitest';
import { NoPhone, Phones, virtualPhones } from '../src/phones.ts';
import { MemoryPhoneSettings } from '../src/testing/index.ts';

const any = { udid: null, platform: null, teamId: null, maySee: () => true };

describe('what an Admin says about a phone', () => {
  it('(contract 2 /devices) outlives a restart, and the phone that is away is known and not given out', () => {
    const settings = new MemoryPhoneSettings();
    const phones = new Phones(virtualPhones(2, 'virtual'), settings);
    expect(phones.change('virtual-2', { teamId: 'qa' })).toMatchObject({ teamId: 'qa' });
    expect(phones.change('virtual-2', { tags: ['slow'] })).toMatchObject({ teamId: 'qa' });
    expect(phones.change('virtual-3', { tags: [] })).toBeUndefined();

    const back = new Phones(virtualPhones(2, 'virtual'), settings);
    expect([back.byUdid('virtual-2')?.teamId, back.tagsOf('virtual-2')]).toEqual(['qa', ['slow']]);
    expect(back.statusOf('virtual-2')).toBe('free');

    const away = new Phones(virtualPhones(1, 'virtual'), settings);
    expect(away.list().map(({ udid }) => [udid, away.statusOf(udid)])).toEqual([
      ['virtual-1', 'free'],
      ['virtual-2', 'away'],
    ]);
    expect(() => away.hold({ ...any, udid: 'virtual-2' })).toThrow(NoPhone);
    expect(new Phones([], settings).isEmpty).toBe(true);
  });

  it('changes a phone in use without taking it away', () => {
    const phones = new Phones(virtualPhones(1, 'virtual'), new MemoryPhoneSettings());
    phones.hold(any);
    phones.change('virtual-1', { teamId: 'qa' });
    expect(phones.statusOf('virtual-1')).toBe('busy');
  });
});
