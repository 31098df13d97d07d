import { expect, it } from 'vitest';
import { RowCache } from '../src/cache/row-cache.ts';

const row = (id: string, value = 0) => ({ id, value });

it('finds a row by key and by id until it is dropped or all are', () => {
  const rows = new RowCache<ReturnType<typeof row>>(10);
  rows.add('key a', row('a'));
  rows.add('key b', row('b'));
  expect([rows.byKey('key a'), rows.byId('a')]).toEqual([row('a'), row('a')]);
  rows.replace(row('a', 1));
  expect([rows.byKey('key a'), rows.byId('a')]).toEqual([row('a', 1), row('a', 1)]);
  rows.drop('a');
  expect([rows.byKey('key a'), rows.byId('a'), rows.byId('b')]).toEqual([undefined, undefined, row('b')]);
  rows.clear();
  expect([rows.byKey('key b'), rows.byId('b')]).toEqual([undefined, undefined]);
});

it('keeps no more than its size, those used last, and nothing of the others', () => {
  const rows = new RowCache<ReturnType<typeof row>>(2);
  rows.add('key a', row('a'));
  rows.add('key b', row('b'));
  rows.byKey('key a');
  rows.add('key c', row('c'));
  expect([rows.byId('a'), rows.byId('b'), rows.byId('c')]).toEqual([row('a'), undefined, row('c')]);
  // A row that went is not brought back by a change of it.
  rows.replace(row('b', 1));
  expect(rows.byKey('key b')).toBeUndefined();
  expect(rows.byKey('key a')).toEqual(row('a'));
});
