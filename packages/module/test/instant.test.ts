import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { instant } from '../src/instant.ts';

describe('times on the wire', () => {
  it('times on the wire are ISO 8601 in UTC with milliseconds, whatever the time (contract 1)', () => {
    const anyTime = fc.oneof(
      fc.integer({ min: -8.64e15, max: 8.64e15 }),
      fc.integer({ min: 1_700_000_000_000, max: 1_700_000_200_000 }),
      fc.constantFrom(0, -1, 999, 59_999, 60_000, 253_402_300_799_999, 253_402_300_800_000, 8.64e15),
    );
    fc.assert(
      fc.property(anyTime, (ms) => {
        expect(instant(ms)).toBe(new Date(ms).toISOString());
      }),
    );
    expect(instant(null)).toBeNull();
  });
});
