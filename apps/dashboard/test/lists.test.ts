import { describe, expect, it } from 'vitest';
import { isWanted as isWantedKey } from '../src/pages/api-keys/key-filter.ts';
import {
  apiQueryOf,
  filtersOf,
  nextOrder,
  queryOf,
  sortingOf,
} from '../src/pages/sessions/session-filters.ts';
import type { User } from '../src/pages/users/user.ts';
import { isWanted as isWantedUser, NO_TEAM, UNCONFIRMED } from '../src/pages/users/user-filter.ts';
import { phonesFound } from '../src/shell/search-found.ts';
import { relativeText } from '../src/ui/relative-text.ts';
import { nextSorting, sortRows } from '../src/ui/sort-rows.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

describe('sorting a table', () => {
  const keyOf = ({ key }: { key: string | number | null }) => key;
  const rows = (...keys: (string | number | null)[]) => keys.map((key, at) => ({ key, at }));

  it('texts are sorted by their letters and numbers, and rows without a value come last in both directions', () => {
    const given = rows('phone 10', null, 'Phone 9', 'anna');
    const sorted = (descending: boolean) => sortRows(given, keyOf, descending).map(({ key }) => key);
    expect(sorted(false)).toEqual(['anna', 'Phone 9', 'phone 10', null]);
    expect(sorted(true)).toEqual(['phone 10', 'Phone 9', 'anna', null]);
  });

  it('numbers are sorted by their value, and rows with the same value keep their order', () => {
    const sorted = sortRows(rows(10, 9, 10, 1), keyOf, false);
    expect(sorted.map(({ key, at }) => [key, at])).toEqual([
      [1, 3],
      [9, 1],
      [10, 0],
      [10, 2],
    ]);
  });

  it('a header sorts ascending, then descending, then not; another header begins anew', () => {
    const first = nextSorting(undefined, 'name');
    expect(first).toEqual({ id: 'name', descending: false });
    const second = nextSorting(first, 'name');
    expect(second).toEqual({ id: 'name', descending: true });
    expect(nextSorting(second, 'name')).toBeUndefined();
    expect(nextSorting(second, 'role')).toEqual({ id: 'role', descending: false });
  });

  it('a header of the list of sessions sorts descending, then ascending, and is marked as the sorted one (contract 2 /sessions)', () => {
    const pressed = (...columns: string[]) => {
      const order = columns.reduce(nextOrder, filtersOf('').order);
      return [order, sortingOf(order)];
    };
    expect(pressed()).toEqual(['', { id: 'started', descending: true }]);
    expect(pressed('started')).toEqual(['oldest', { id: 'started', descending: false }]);
    expect(pressed('started', 'duration')).toEqual(['longest', { id: 'duration', descending: true }]);
    expect(pressed('duration', 'duration')).toEqual(['shortest', { id: 'duration', descending: false }]);
    expect(pressed('duration', 'started')).toEqual(['', { id: 'started', descending: true }]);
  });
});

describe('relative times', () => {
  const now = Date.UTC(2026, 10, 27, 12);

  it.each([
    [-10_000, 'just now'],
    [10_000, 'in a moment'],
    [-3 * MINUTE, '3 min ago'],
    [-59 * MINUTE - 59_000, '59 min ago'],
    [-HOUR, '1 h ago'],
    [5 * HOUR, 'in 5 h'],
    [-27 * DAY, '27 days ago'],
    [13 * DAY, 'in 13 days'],
  ])('a time %d ms from now is shown as %s', (ms, text) => {
    expect(relativeText(now + ms, now)).toBe(text);
  });

  it('a time more than four weeks away is shown as a date', () => {
    expect(relativeText(now - 60 * DAY, now)).toMatch(/2026/);
    expect(relativeText(now + 60 * DAY, now)).toMatch(/2027/);
  });
});

describe('filters of lists', () => {
  it('keys are filtered by kind, by an end within 14 days or none, and by use', () => {
    const now = Date.UTC(2026, 10, 27);
    const key = {
      kind: 'api-key' as const,
      expiresAt: new Date(now + 10 * DAY).toISOString(),
      lastUsedAt: null,
      unusedSince: null,
    };
    const none = { kind: '', end: '', use: '' };
    const is = (filter: Partial<typeof none>, change: object = {}) =>
      isWantedKey({ ...key, ...change }, { ...none, ...filter }, now);
    expect(is({})).toBe(true);
    expect([is({ kind: 'api-key' }), is({ kind: 'profile' })]).toEqual([true, false]);
    expect([is({ end: 'soon' }), is({ end: 'never' })]).toEqual([true, false]);
    const later = { expiresAt: new Date(now + 15 * DAY).toISOString() };
    expect([is({ end: 'soon' }, later), is({ end: 'never' }, later)]).toEqual([false, false]);
    expect([is({ end: 'soon' }, { expiresAt: null }), is({ end: 'never' }, { expiresAt: null })]).toEqual([
      false,
      true,
    ]);
    const used = { lastUsedAt: '2026-01-01T00:00:00Z' };
    expect([is({ use: 'never' }), is({ use: 'never' }, used)]).toEqual([true, false]);
    const old = { ...used, unusedSince: used.lastUsedAt };
    expect([is({ use: 'old' }), is({ use: 'old' }, used), is({ use: 'old' }, old)]).toEqual([
      false,
      false,
      true,
    ]);
    expect(is({ kind: 'api-key', end: 'soon', use: 'old' })).toBe(false);
  });

  it('users are filtered by role, status and team, also by having none', () => {
    const user = { role: 'Member', status: 'Active', teams: [{ id: 't', name: 'T' }] } as unknown as User;
    const none = { role: '', status: '', team: '' };
    const is = (filter: Partial<typeof none>, change: object = {}) =>
      isWantedUser({ ...user, ...change }, { ...none, ...filter });
    expect(is({ status: UNCONFIRMED }, { emailUnconfirmed: true })).toBe(true);
    expect(is({ status: UNCONFIRMED })).toBe(false);
    expect(is({})).toBe(true);
    expect([is({ role: 'Member' }), is({ role: 'Admin' })]).toEqual([true, false]);
    expect([is({ status: 'Active' }), is({ status: 'Inactive' })]).toEqual([true, false]);
    expect([is({ team: 't' }), is({ team: 'u' }), is({ team: NO_TEAM })]).toEqual([true, false, false]);
    expect(is({ team: NO_TEAM }, { teams: [] })).toBe(true);
  });

  it('days of the filter of sessions become moments of the time zone of the user, the last day included', () => {
    const filters = filtersOf('?from=2026-11-01&to=2026-11-02&udid=u1&tag=smoke&category=Timeout');
    expect(queryOf(filters)).toEqual({
      from: '2026-11-01',
      to: '2026-11-02',
      udid: 'u1',
      tag: 'smoke',
      category: 'Timeout',
    });
    expect(apiQueryOf(filters)).toEqual({
      udid: 'u1',
      tag: 'smoke',
      category: 'Timeout',
      from: new Date(2026, 10, 1).toISOString(),
      to: new Date(2026, 10, 3).toISOString(),
    });
    expect(queryOf(filtersOf('?from=2026-13-40&to=yesterday'))).toEqual({});
  });
});

describe('search over the lab', () => {
  it('phones are found by name, UDID, model and tag, at most six', () => {
    const phone = (udid: string, change: object = {}) =>
      ({
        udid,
        name: `Phone ${udid}`,
        model: null,
        platform: 'Android',
        osVersion: '14',
        tags: [],
        ...change,
      }) as never;
    const phones = [phone('u1', { model: 'Pixel 9' }), phone('u2', { tags: ['Smoke'] }), phone('u3')];
    const names = (text: string) => phonesFound(phones, text).map(({ note }) => note);
    expect(names('pixel')).toEqual(['u1']);
    expect(names('smoke')).toEqual(['u2']);
    expect(names('U3')).toEqual(['u3']);
    expect(names('android 14')).toEqual(['u1', 'u2', 'u3']);
    expect(
      phonesFound(
        Array.from({ length: 9 }, (_, at) => phone(`u${at}`)),
        'phone',
      ),
    ).toHaveLength(6);
  });
});
