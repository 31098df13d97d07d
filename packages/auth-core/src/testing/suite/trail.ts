import { describe, expect, it } from 'vitest';
import { sampleEvent } from '../sample-rows.ts';
import { type Open, opened } from './opened.ts';

export function trailSuite(open: Open): void {
  auditSuite(open);
  spentSuite(open);
  settingSuite(open);
}

function auditSuite(open: Open): void {
  describe('audit trail', () => {
    const at = opened(open);

    it('(contract 2, /audit) links each row to the one before', () => {
      const { audit } = at.stores;
      const full = sampleEvent('authz_fail', {
        outcome: 'failure',
        actor: 'ann',
        target: 'bob',
        address: '10.0.0.1',
        requestId: 'r-1',
        reason: 'rôle\u0000 "too" low 📵',
      });
      audit.append(sampleEvent('authn_login_success'), 1_700_000_000_000);
      audit.append(full, 1_700_000_000_001);
      // Written down, so that no change of the code can make old trails look forged.
      const first = 'a0b8e36fa7651339eaa1fd7332626f3fd97ebe6e77a6ae86359181da5c243221';
      const second = '5a37764fa96d3fb9c06e239748be4ea0c1d2d82091fc4665812a8dc0c13820b6';
      const rows = audit.page(null, 10);
      expect(rows).toEqual([
        { id: 2, at: 1_700_000_000_001, ...full, hash: expect.any(String), previousHash: rows[1]?.hash },
        {
          id: 1,
          at: 1_700_000_000_000,
          ...sampleEvent('authn_login_success'),
          hash: expect.any(String),
          previousHash: '0'.repeat(64),
        },
      ]);
      expect(rows.map(({ hash }) => hash)).toEqual([second, first]);
      expect(audit.firstBroken()).toBeNull();
    });

    it('keeps its chain whatever text an attacker gets into it', () => {
      const { audit } = at.stores;
      audit.append(sampleEvent('authn_login_fail', { target: 'half \ud83d pair', reason: '\udcf5' }), 1);
      audit.append(sampleEvent('authn_login_fail', { target: '', reason: '\u0000' }), 2);
      expect(audit.page(null, 2)[1]).toMatchObject({ target: 'half \ufffd pair', reason: '\ufffd' });
      expect(audit.page(null, 1)[0]).toMatchObject({ target: '', reason: '\u0000' });
      expect(audit.firstBroken()).toBeNull();
    });

    it('is paged, newest first', () => {
      const { audit } = at.stores;
      for (let n = 1; n <= 5; n += 1) audit.append(sampleEvent(`event ${n}`), n);
      expect(audit.page(null, 2).map(({ id }) => id)).toEqual([5, 4]);
      expect(audit.page(4, 2).map(({ id }) => id)).toEqual([3, 2]);
      expect(audit.page(2, 2).map(({ id }) => id)).toEqual([1]);
      expect(audit.page(1, 2)).toEqual([]);
    });

    it('holds when it is empty', () => {
      expect(at.stores.audit.firstBroken()).toBeNull();
      expect(at.stores.audit.page(null, 5)).toEqual([]);
    });

    it('a row stands or falls with the change it tells of, and leaves no gap', () => {
      const { audit, transaction } = at.stores;
      audit.append(sampleEvent('one'), 1);
      expect(() =>
        transaction(() => {
          audit.append(sampleEvent('never'), 2);
          throw new Error('no');
        }),
      ).toThrow('no');
      transaction(() => audit.append(sampleEvent('two'), 3));
      expect(audit.page(null, 9).map(({ id, event }) => [id, event])).toEqual([
        [2, 'two'],
        [1, 'one'],
      ]);
      expect(audit.firstBroken()).toBeNull();
    });
  });
}

function spentSuite(open: Open): void {
  describe('spent marks', () => {
    const at = opened(open);

    it('(contract 4, tickets) can be set once', () => {
      const { spent } = at.stores;
      expect(spent.isSpent('t')).toBe(false);
      expect(spent.spend('t', 10)).toBe(true);
      expect(spent.spend('t', 20)).toBe(false);
      expect(spent.isSpent('t')).toBe(true);
      expect(spent.spend('u', 10)).toBe(true);
    });

    it('are kept until they may be forgotten', () => {
      const { spent } = at.stores;
      spent.spend('old', 10);
      spent.spend('new', 11);
      spent.removeExpired(10);
      expect(spent.isSpent('old')).toBe(false);
      expect(spent.spend('new', 11)).toBe(false);
    });
  });
}

function settingSuite(open: Open): void {
  describe('settings', () => {
    const at = opened(open);

    it('keep any JSON value; those not named stay', () => {
      const { settings } = at.stores;
      expect([...settings.all()]).toEqual([]);
      settings.save(
        new Map<string, unknown>([
          ['b', { deep: [1, null, 'x'] }],
          ['a', false],
          ['c', null],
        ]),
      );
      settings.save(new Map([['a', true]]));
      expect([...settings.all()]).toEqual([
        ['a', true],
        ['b', { deep: [1, null, 'x'] }],
        ['c', null],
      ]);
      settings.save(new Map([['b', undefined]]));
      expect([...settings.all().keys()]).toEqual(['a', 'c']);
    });
  });
}
