import { autocommit, idOf } from '@svc/auth-core/testing';
import { describe, expect, it } from 'vitest';
import { type Open, opened } from './opened.ts';

export function spentSuite(open: Open): void {
  describe('spent marks', () => {
    const at = opened(open);

    it('a mark can be set once (contract 4, tickets)', () => {
      const { replay } = autocommit(at.stores);
      expect(replay.isSpent('t')).toBe(false);
      expect(replay.spend('t', 10)).toBe(true);
      expect(replay.spend('t', 20)).toBe(false);
      expect(replay.isSpent('t')).toBe(true);
      expect(replay.spend('u', 10)).toBe(true);
    });

    it('a revoked id is found with whether it cascades, until it is removed (contract 10.4)', () => {
      const { revocations } = autocommit(at.stores);
      const row = { id: idOf('jti'), accountId: idOf('ann'), cascades: false, expiresAt: 10, sourceId: null };
      expect(revocations.find(row.id)).toBeUndefined();
      revocations.add(row);
      expect(revocations.find(row.id)).toEqual({ cascades: false });
      revocations.add({ ...row, cascades: true, expiresAt: 5 });
      revocations.add({ ...row, expiresAt: 11 });
      revocations.add({ ...row, id: idOf('other') });
      expect(revocations.find(row.id)).toEqual({ cascades: true });
      expect([revocations.countOf(idOf('ann')), revocations.countOf(idOf('bob'))]).toEqual([
        { tokens: 0, credentials: 2 },
        { tokens: 0, credentials: 0 },
      ]);
      revocations.removeExpired(10);
      expect(revocations.all()).toEqual([{ ...row, cascades: true, expiresAt: 11 }]);
      expect([revocations.find(row.id), revocations.find(idOf('other'))]).toEqual([
        { cascades: true },
        undefined,
      ]);
    });

    it('a revocation that cascades removes the records of tokens minted from the credential (contract 4)', () => {
      const { revocations } = autocommit(at.stores);
      const row = { accountId: idOf('ann'), cascades: false, expiresAt: 10, sourceId: idOf('key') };
      revocations.add({ ...row, id: idOf('jti') });
      revocations.add({ ...row, id: idOf('other'), sourceId: idOf('sign-in') });
      revocations.add({ ...row, id: idOf('key'), sourceId: null });
      expect(revocations.countOf(row.accountId)).toEqual({ tokens: 2, credentials: 1 });
      revocations.add({ ...row, id: idOf('key'), cascades: true, sourceId: null });
      expect(revocations.all().map(({ id }) => id)).toEqual([idOf('other'), idOf('key')].sort());
      expect(revocations.find(idOf('jti'))).toBeUndefined();
    });

    it('the record of a group replaces the records of single tokens, or all of its account (contract 4)', () => {
      const { revocations } = autocommit(at.stores);
      const row = { accountId: idOf('ann'), cascades: false, expiresAt: 10, sourceId: null };
      revocations.add({ ...row, id: 'agents-0' });
      revocations.add({ ...row, id: idOf('key') });
      revocations.add({ ...row, id: idOf('jti'), sourceId: idOf('sign-in') });
      revocations.add({ ...row, id: idOf('other'), accountId: idOf('bob') });
      revocations.replaceAllOf({ ...row, id: 'bearers-ann-0', cascades: true }, 'tokens');
      expect(revocations.countOf(idOf('ann'))).toEqual({ tokens: 0, credentials: 1 });
      expect(revocations.find(idOf('jti'))).toBeUndefined();
      revocations.replaceAllOf({ ...row, id: 'bearers-ann-0', cascades: true }, 'all');
      expect(revocations.countOf(idOf('ann'))).toEqual({ tokens: 0, credentials: 0 });
      expect(revocations.all().map(({ id }) => id)).toEqual(
        [idOf('other'), 'agents-0', 'bearers-ann-0'].sort(),
      );
    });

    it('spent marks are kept until they may be forgotten', () => {
      const { replay } = autocommit(at.stores);
      replay.spend('old', 10);
      replay.spend('new', 11);
      replay.removeExpired(10);
      expect(replay.isSpent('old')).toBe(false);
      expect(replay.spend('new', 11)).toBe(false);
    });
  });
}
