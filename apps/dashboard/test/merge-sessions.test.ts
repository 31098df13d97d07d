import { describe, expect, it } from 'vitest';
import {
  type KnownSessions,
  reloadLength,
  type Session,
  type SessionChange,
  withEvent,
  withOlder,
  withReloaded,
} from '../src/pages/sessions/merge-sessions.ts';
import { filtersOf, queryOf } from '../src/pages/sessions/session-filters.ts';

const session = (id: string) =>
  ({ id, name: id, status: 'running', endedAt: null, tags: [] }) as unknown as Session;
const known = (ids: string, isAll = false): KnownSessions => ({ rows: [...ids].map(session), isAll });
const page = (ids: string) => [...ids].map(session);
const withNewest = (before: KnownSessions, rows: Session[], pageLength: number) =>
  withReloaded(before, rows, { order: '', pageLength });
const shape = ({ rows, isAll }: KnownSessions) => [rows.map(({ id }) => id).join(''), isAll];

describe('the known part of a long list', () => {
  it('the loaded part of a long list takes what is new at its top and keeps the rest', () => {
    expect(shape(withNewest(known('dcba', true), page('fed'), 3))).toEqual(['fedcba', true]);
    expect(shape(withNewest(known('dcba'), page('dcb'), 3))).toEqual(['dcba', false]);
  });

  it('the loaded part of a long list starts anew where there would be a gap, and is whole when a page is not full', () => {
    expect(shape(withNewest(known('cba'), page('xyz'), 3))).toEqual(['xyz', false]);
    expect(shape(withNewest(known('cba'), page('dc'), 3))).toEqual(['dc', true]);
    expect(shape(withNewest(known('cba'), [], 3))).toEqual(['', true]);
  });

  it('the loaded part of a list in another order is loaded again as a whole, and does not miss a session at its end (contract 2 /sessions)', () => {
    const again = (before: KnownSessions, ids: string) => {
      const pageLength = reloadLength(before, 'oldest', 3);
      return shape(withReloaded(before, page(ids.slice(0, pageLength)), { order: 'oldest', pageLength }));
    };
    expect(again(known('abcd', true), 'abcd')).toEqual(['abcd', true]);
    expect(again(known('abcd', true), 'abcde')).toEqual(['abcde', false]);
    expect(again(known('abcd', true), 'axbcd')).toEqual(['axbcd', false]);
    expect(again(known('a', true), 'ab')).toEqual(['ab', true]);
    const many = { rows: Array.from({ length: 700 }, (_, id) => session(`${id}`)), isAll: false };
    expect([reloadLength(many, 'longest', 100), reloadLength(many, '', 100)]).toEqual([500, 100]);
  });

  it('the loaded part of a long list grows at its end by the page that was asked for behind it, and by no other', () => {
    expect(shape(withOlder(known('dc'), 'c', page('ba'), 2))).toEqual(['dcba', false]);
    expect(shape(withOlder(known('dc'), 'c', page('b'), 2))).toEqual(['dcb', true]);
    expect(shape(withOlder(known('ed'), 'c', page('ba'), 2))).toEqual(['ed', false]);
  });

  it('the loaded part of a long list follows events; of a list of one status, a session that left it goes', () => {
    const event = (payload: object) => ({ type: 'session_ended', at: '', payload }) as SessionChange;
    const ended = event({ id: 'b', status: 'failed', tags: [], endedAt: 'then', failureReason: 'why' });
    expect(withEvent(known('cba'), ended, undefined).rows[1]).toMatchObject({
      id: 'b',
      status: 'failed',
      failureReason: 'why',
    });
    expect(shape(withEvent(known('cba'), ended, 'running'))).toEqual(['ca', false]);
    expect(shape(withEvent(known('cba'), event({ id: 'z' }), undefined))).toEqual(['cba', false]);
  });
});

describe('filters in the address', () => {
  it('filters in the address are what the API takes, whatever the address says', () => {
    expect(queryOf(filtersOf('?search=%20a%00b%20&status=passed&owner=ana@x&limit=9'))).toEqual({
      search: 'ab',
      status: 'passed',
      owner: 'ana@x',
    });
    expect(queryOf(filtersOf(`?status=constructor&search=${'x'.repeat(300)}`))).toEqual({
      search: 'x'.repeat(200),
    });
  });
});
