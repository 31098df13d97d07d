import { describe, expect, it } from 'vitest';
import { type OpenLabStores, opened } from './opened.ts';

const HOUR_MS = 3_600_000;

export function phoneUseSuite(open: OpenLabStores): void {
  describe('use of phones', () => {
    const stores = opened(open);

    it('the use of phones is added up by hour, phone and team, and removed oldest first', () => {
      const { phoneUse } = stores();
      const use = { presentMs: 5_000, busyMs: 3_000, leasedMs: 2_000, waitedMs: 1_000 };
      const row = (hour: number, udid: string, teamId: string | null) => ({
        hour: hour * HOUR_MS,
        udid,
        teamId,
        ...use,
      });
      phoneUse.add([row(1, 'u1', null), row(2, 'u1', null), row(2, 'u1', 'red'), row(2, 'u2', null)]);
      phoneUse.add([row(3, 'u1', null)]);
      phoneUse.add([]);
      const twice = { presentMs: 10_000, busyMs: 6_000, leasedMs: 4_000, waitedMs: 2_000 };
      const sorted = (hour: number) =>
        phoneUse.of(hour).toSorted((a, b) => (`${a.udid}${a.teamId}` < `${b.udid}${b.teamId}` ? -1 : 1));
      expect(sorted(2 * HOUR_MS)).toEqual([
        { udid: 'u1', teamId: null, ...use },
        { udid: 'u1', teamId: 'red', ...use },
        { udid: 'u2', teamId: null, ...use },
      ]);
      // The second write for the same hour must be added to the stored totals, not replace them.
      phoneUse.add([row(3, 'u1', null)]);
      expect(phoneUse.of(3 * HOUR_MS)).toEqual([{ udid: 'u1', teamId: null, ...twice }]);
      expect(phoneUse.removeBefore(3 * HOUR_MS, 3)).toBe(3);
      expect(phoneUse.removeBefore(3 * HOUR_MS, 3)).toBe(1);
      expect(phoneUse.removeBefore(3 * HOUR_MS, 3)).toBe(0);
      expect([1, 2].flatMap((hour) => phoneUse.of(hour * HOUR_MS))).toEqual([]);
      expect(phoneUse.of(3 * HOUR_MS)).toEqual([{ udid: 'u1', teamId: null, ...twice }]);
    });
  });
}
