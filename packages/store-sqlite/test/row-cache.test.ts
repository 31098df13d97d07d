import fc from 'fast-check';
import { expect, it } from 'vitest';
import { RowCache } from '../src/cache/row-cache.ts';

const row = (id: string, value = 0) => ({ id, value });

it('the cache of rows finds a row by key and by id until it is dropped or all are', () => {
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

it('the cache of rows keeps no more than its size, the half used last at least, and nothing of the others', () => {
  const rows = new RowCache<ReturnType<typeof row>>(4);
  for (const id of ['a', 'b']) rows.add(`key ${id}`, row(id));
  rows.add('key c', row('c'));
  expect(rows.byKey('key a')).toEqual(row('a'));
  rows.add('key d', row('d'));
  expect([rows.byId('a'), rows.byId('b'), rows.byId('c')]).toEqual([row('a'), undefined, row('c')]);
  expect(rows.byId('d')).toEqual(row('d'));
  // Replacing a row that was evicted does not add it to the cache again.
  rows.replace(row('b', 1));
  expect(rows.byKey('key b')).toBeUndefined();
});

it('answers as a table does, or nothing', () => {
  const id = fc.constantFrom(...'abcdefgh');
  const step = fc.oneof(
    fc.record({ do: fc.constantFrom('look up by key', 'look up by id', 'change', 'remove'), id }),
    fc.record({ do: fc.constant('clear'), id }),
  );
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 6 }), fc.array(step, { maxLength: 60 }), (size, steps) => {
      const rows = new RowCache<ReturnType<typeof row>>(size);
      const table = new Map<string, ReturnType<typeof row>>();
      const seen = new Set<string>();
      for (const [at, step] of steps.entries()) {
        const { id } = step;
        if (step.do === 'change') {
          table.set(id, row(id, at));
          // Does what the stores do on a change: a cached row is replaced, and any other row is read into the cache.
          if (rows.byId(id) === undefined) rows.add(`key ${id}`, row(id, at));
          else rows.replace(row(id, at));
        } else if (step.do === 'remove') {
          table.delete(id);
          rows.drop(id);
        } else if (step.do === 'clear') {
          rows.clear();
          for (const each of seen) expect(rows.byId(each)).toBeUndefined();
        } else {
          const found = step.do === 'look up by key' ? rows.byKey(`key ${id}`) : rows.byId(id);
          if (found !== undefined) expect(found).toEqual(table.get(id));
        }
        seen.add(id);
        const kept = [...seen].filter((each) => rows.byId(each) !== undefined).length;
        expect(kept).toBeLessThanOrEqual(size + 1);
      }
    }),
  );
});
