import { Conflict, NO_CREDENTIAL } from '@svc/auth-core';
import { describe, expect, it } from 'vitest';
import { type OpenLabStores, opened } from './opened.ts';

/** A lease of the account `ana`, which must exist in the stores that `open` opens. */
const LEASE = { id: 'l1', udid: 'u1', ownerId: 'ana', hash: 'h', createdAt: 1, expiresAt: 60_001 };

export function leaseSuite(open: OpenLabStores): void {
  describe('leases', () => {
    const stores = opened(open);

    it('leases are one a phone, extended and removed by id (contract 2, leases)', () => {
      const { leases } = stores();
      leases.insert(LEASE);
      expect(() => leases.insert({ ...LEASE, id: 'l2' })).toThrow(Conflict);
      const credential = { ...NO_CREDENTIAL, kind: 'bearer', id: 'b1', parents: ['k1'] };
      const agent = { id: 'a1', until: 9, minutes: null, credential, signInEpoch: 2 };
      const other = { ...LEASE, id: 'l3', udid: 'u3', createdAt: 2, agent };
      leases.insert(other);
      leases.extend('l1', 120_001);
      leases.extend('unknown', 1);
      expect(leases.all()).toEqual([{ ...LEASE, expiresAt: 120_001 }, other]);
      leases.remove('l1');
      leases.remove('l1');
      expect(leases.all()).toEqual([other]);
    });

    it('leases keep how long agents held phones on the current day alone (contract 12)', () => {
      const { leases } = stores();
      const sorted = (day: number) => leases.leasedTimes(day).toSorted((a, b) => (a.id < b.id ? -1 : 1));
      leases.saveLeasedTimes(1, [
        { id: 'a', ms: 5 },
        { id: 'b', ms: 6 },
      ]);
      leases.saveLeasedTimes(1, [{ id: 'a', ms: 7 }]);
      expect([sorted(1), sorted(2)]).toEqual([
        [
          { id: 'a', ms: 7 },
          { id: 'b', ms: 6 },
        ],
        [],
      ]);
      leases.saveLeasedTimes(2, [{ id: 'a', ms: 1 }]);
      expect([sorted(1), sorted(2)]).toEqual([[], [{ id: 'a', ms: 1 }]]);
    });
  });
}
