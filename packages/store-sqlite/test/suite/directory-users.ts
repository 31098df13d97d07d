import { autocommit, idOf, sampleAccount } from '@svc/auth-core/testing';
import { describe, expect, it } from 'vitest';
import { type Open, opened } from './opened.ts';

export function directoryUserSuite(open: Open): void {
  describe('accounts of an identity provider', () => {
    const at = opened(open);

    it('accounts of an identity provider are all that it has not deleted, oldest first, in pages (contract 10.5)', () => {
      const { accounts, directoryUsers } = autocommit(at.stores);
      const names = ['ann', 'bob', 'cid', 'dot'];
      for (const [turn, name] of names.entries())
        accounts.insert(sampleAccount(name, { createdAt: turn >> 1 }));
      accounts.update(idOf('bob'), { status: 'Inactive' });
      accounts.update(idOf('cid'), { status: 'Inactive' });
      for (const name of ['cid', 'dot'])
        directoryUsers.save(idOf(name), { externalId: null, isDeleted: true, isDeactivated: true });
      expect(directoryUsers.page(0, 9)).toEqual(['ann', 'bob', 'dot'].map(idOf));
      expect(directoryUsers.page(1, 1)).toEqual([idOf('bob')]);
      expect(directoryUsers.page(3, 9)).toEqual([]);
      expect(directoryUsers.count()).toBe(3);
    });

    it('accounts of an identity provider are found by their external id in its letter case (contract 10.5)', () => {
      const { accounts, directoryUsers } = autocommit(at.stores);
      for (const name of ['ann', 'bob', 'cid']) accounts.insert(sampleAccount(name));
      directoryUsers.save(idOf('ann'), { externalId: 'E1', isDeleted: false, isDeactivated: false });
      directoryUsers.save(idOf('bob'), { externalId: 'E1', isDeleted: true, isDeactivated: true });
      directoryUsers.save(idOf('cid'), { externalId: 'E1', isDeleted: true, isDeactivated: true });
      accounts.update(idOf('cid'), { status: 'Inactive' });
      expect(directoryUsers.byExternalId('E1', 9)).toEqual(['ann', 'bob'].map(idOf));
      expect(directoryUsers.byExternalId('E1', 1)).toEqual([idOf('ann')]);
      expect(directoryUsers.byExternalId('e1', 9)).toEqual([]);
      directoryUsers.save(idOf('ann'), { externalId: null, isDeleted: false, isDeactivated: false });
      expect(directoryUsers.byExternalId('E1', 9)).toEqual([idOf('bob')]);
      expect(directoryUsers.entryOf(idOf('ann'))).toEqual({
        externalId: null,
        isDeleted: false,
        isDeactivated: false,
      });
    });

    it('accounts of an identity provider lose their entry with the account', () => {
      const { accounts, directoryUsers } = autocommit(at.stores);
      accounts.insert(sampleAccount('ann'));
      expect(directoryUsers.entryOf(idOf('ann'))).toBeUndefined();
      directoryUsers.save(idOf('ann'), { externalId: 'E1', isDeleted: true, isDeactivated: true });
      accounts.remove(idOf('ann'));
      expect(directoryUsers.entryOf(idOf('ann'))).toBeUndefined();
    });
  });
}
