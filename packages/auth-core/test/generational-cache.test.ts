import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GenerationalCache } from '../src/generational-cache.ts';

describe('what was used last', () => {
  it('an entry of the cache is remembered while fewer than its size came since, and gone after twice as many', () => {
    const recent = new GenerationalCache<string, number>(10);
    recent.set('first', 1);
    for (let other = 0; other < 9; other += 1) recent.set(`a${other}`, other);
    expect(recent.get('first')).toBe(1);
    for (let other = 0; other < 20; other += 1) recent.set(`b${other}`, other);
    expect(recent.get('first')).toBeUndefined();
    expect(recent.get('b19')).toBe(19);
  });

  it('an entry that is still used stays, whatever else is added', () => {
    const recent = new GenerationalCache<string, number>(10);
    recent.set('kept', 7);
    for (let other = 0; other < 1000; other += 1) {
      recent.set(`other${other}`, other);
      expect(recent.get('kept')).toBe(7);
    }
  });

  it('the cache always answers the value set last, or none', () => {
    const step = fc.record({
      key: fc.constantFrom(...'abcdefgh'),
      value: fc.option(fc.nat(), { nil: undefined }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const recent = new GenerationalCache<string, number>(3);
        const truth = new Map<string, number>();
        for (const { key, value } of steps) {
          if (value === undefined) expect([undefined, truth.get(key)]).toContain(recent.get(key));
          else {
            recent.set(key, value);
            truth.set(key, value);
            expect(recent.get(key)).toBe(value);
          }
        }
      }),
    );
  });
});
