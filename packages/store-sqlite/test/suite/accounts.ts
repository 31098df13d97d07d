import type { AccountStores } from '@svc/accounts';
import { Conflict } from '@svc/auth-core';
import {
  autocommit,
  hashOf,
  idOf,
  sampleAccount,
  sampleApiToken,
  sampleSignIn,
} from '@svc/auth-core/testing';
import { ROLES } from '@svc/contract';
import { describe, expect, it } from 'vitest';
import { sampleResetLink } from '../../src/testing/account-rows.ts';
import { type Open, opened } from './opened.ts';

export function accountSuite(open: Open): void {
  describe('accounts', () => {
    const at = opened(open);

    it('the store of accounts finds an account by id, access key and e-mail, without its password hash', () => {
      const { accounts } = autocommit(at.stores);
      accounts.insert(
        sampleAccount('ann', { passwordHash: '$2b$hash', temporaryPasswordUntil: 9, defaultPassword: true }),
      );
      const { passwordHash: _, ...rest } = sampleAccount('ann', {
        temporaryPasswordUntil: 9,
        defaultPassword: true,
      });
      const ann = { ...rest, teams: [], lastSignInAt: null, signInEpoch: 0, sparedSignIn: null };
      expect(accounts.byId(idOf('ann'))).toEqual(ann);
      expect(accounts.byAccessKey('svc_ann')).toEqual(ann);
      expect(accounts.byEmail('ann@svc.local')).toEqual(ann);
      expect(accounts.passwordHash(idOf('ann'))).toBe('$2b$hash');
    });

    it('the store of accounts finds no account for unknown ids, keys and addresses, also a second time', () => {
      const { accounts } = autocommit(at.stores);
      for (let round = 0; round < 2; round += 1) {
        expect(accounts.byId('nobody')).toBeUndefined();
        expect(accounts.byAccessKey('svc_nobody')).toBeUndefined();
        expect(accounts.byEmail('nobody@svc.local')).toBeUndefined();
        expect(accounts.passwordHash('nobody')).toBeNull();
      }
      accounts.insert(sampleAccount('nobody'));
      expect(accounts.byAccessKey('svc_nobody')?.name).toBe('nobody');
    });

    it.each([
      ['ANN@SVC.LOCAL', 'ann@svc.local'],
      ['Ünal@svc.local', 'üNAL@svc.local'],
      ['e\u0301va@svc.local', '\u00c9VA@svc.local'],
    ])('(contract 2, /users) %s and %s are one e-mail address', (first, second) => {
      const { accounts } = autocommit(at.stores);
      accounts.insert(sampleAccount('ann', { email: first }));
      expect(accounts.byEmail(second)?.email).toBe(first);
      expect(() => accounts.insert(sampleAccount('bob', { email: second }))).toThrow(Conflict);
      expect(accounts.byId(idOf('bob'))).toBeUndefined();
    });

    it('accounts are paged newest first, found by e-mail, name and team, of the roles asked for (contract 2, /users)', () => {
      const { accounts, teams } = autocommit(at.stores);
      const rows = [
        ['ann', 'Super admin', 'Ann 100%'],
        ['bob', 'Member', 'Örjan_B'],
        ['cid', 'Admin', 'Cid'],
        ['dora', 'Member', 'DORA'],
      ] as const;
      for (const [turn, [id, role, name]] of rows.entries())
        accounts.insert(sampleAccount(id, { role, name, createdAt: turn >> 1 }));
      teams.insert({ id: 'qa', name: 'QA' });
      teams.insert({ id: 'ops', name: 'Ops' });
      for (const name of ['ann', 'dora']) teams.addMember('qa', idOf(name));
      teams.addMember('ops', idOf('dora'));
      const everyone = { roles: ROLES, self: 'nobody' };
      const page = ({
        before,
        ...rest
      }: Omit<Partial<Parameters<AccountStores['accounts']['page']>[0]>, 'before'> & {
        before?: string;
      } = {}) =>
        accounts
          .page({ visible: everyone, limit: 9, before: accounts.byId(before ?? ''), ...rest })
          .map(({ id }) => id);
      const [ann, bob, cid, dora] = rows.map(([name]) => idOf(name));
      expect(page()).toEqual([dora, cid, bob, ann]);
      expect(page({ limit: 2 })).toEqual([dora, cid]);
      expect(page({ before: cid as string })).toEqual([bob, ann]);
      expect(page({ before: ann as string })).toEqual([]);
      const oldest = { order: 'oldest first' } as const;
      expect(page({ ...oldest, limit: 3 })).toEqual([ann, bob, cid]);
      expect(page({ ...oldest, before: bob as string })).toEqual([cid, dora]);
      expect(page({ visible: { roles: ['Member'], self: cid as string } })).toEqual([dora, cid, bob]);
      expect(page({ visible: { roles: [], self: cid as string } })).toEqual([cid]);
      expect(page({ teamId: 'qa' })).toEqual([dora, ann]);
      expect(page({ teamId: 'qa', search: '%' })).toEqual([ann]);
      expect(page({ search: 'DOR' })).toEqual([dora]);
      expect(page({ search: '_' })).toEqual([bob]);
      expect(page({ search: 'A@SVC' })).toEqual([dora]);
      expect(page({ search: "'; drop table accounts" })).toEqual([]);
      expect(accounts.page({ visible: everyone, limit: 1 })[0]?.teams).toEqual([
        { id: 'ops', name: 'Ops' },
        { id: 'qa', name: 'QA' },
      ]);
    });

    it('the store of accounts refuses an access key that is taken, on insert and on update', () => {
      const { accounts } = autocommit(at.stores);
      accounts.insert(sampleAccount('ann'));
      expect(() => accounts.insert(sampleAccount('bob', { accessKey: 'svc_ann' }))).toThrow(Conflict);
      accounts.insert(sampleAccount('bob'));
      expect(() => accounts.update(idOf('bob'), { accessKey: 'svc_ann' })).toThrow(Conflict);
      expect(accounts.byAccessKey('svc_bob')?.id).toBe(idOf('bob'));
      expect(accounts.byAccessKey('svc_ann')?.id).toBe(idOf('ann'));
    });

    it('the store of accounts refuses an id that is taken', () => {
      autocommit(at.stores).accounts.insert(sampleAccount('ann'));
      const again = sampleAccount('ann', { email: 'other@svc.local', accessKey: 'svc_other' });
      expect(() => autocommit(at.stores).accounts.insert(again)).toThrow(Conflict);
    });

    it('updates what is named and nothing else; an account handed out before does not change', () => {
      const { accounts } = autocommit(at.stores);
      accounts.insert(sampleAccount('ann', { passwordHash: 'old', temporaryPasswordUntil: 5 }));
      const before = accounts.byId(idOf('ann'));
      accounts.update(idOf('ann'), {
        role: 'Admin',
        temporaryPasswordUntil: null,
        lastSignInAt: 7,
        signInEpoch: 2,
        sparedSignIn: 'this one',
      });
      expect(before).toMatchObject({
        role: 'Member',
        temporaryPasswordUntil: 5,
        lastSignInAt: null,
        signInEpoch: 0,
        sparedSignIn: null,
      });
      expect(accounts.byId(idOf('ann'))).toEqual({
        ...before,
        role: 'Admin',
        temporaryPasswordUntil: null,
        lastSignInAt: 7,
        signInEpoch: 2,
        sparedSignIn: 'this one',
      });
      expect(accounts.passwordHash(idOf('ann'))).toBe('old');
      accounts.update(idOf('ann'), { passwordHash: 'new', defaultPassword: true });
      expect(accounts.passwordHash(idOf('ann'))).toBe('new');
      expect(accounts.byId(idOf('ann'))).toMatchObject({ role: 'Admin', defaultPassword: true });
    });

    it('a rotated access key works at once and the old one no more', () => {
      const { accounts } = autocommit(at.stores);
      accounts.insert(sampleAccount('ann'));
      expect(accounts.byAccessKey('svc_ann')).toBeDefined();
      accounts.update(idOf('ann'), { accessKey: 'svc_new' });
      expect(accounts.byAccessKey('svc_ann')).toBeUndefined();
      expect(accounts.byAccessKey('svc_new')?.accessKey).toBe('svc_new');
      expect(accounts.byId(idOf('ann'))?.accessKey).toBe('svc_new');
    });

    it('the store of accounts does nothing on update or removal of an account that is gone', () => {
      const { accounts } = autocommit(at.stores);
      accounts.update('nobody', { name: 'x' });
      accounts.remove('nobody');
      expect(accounts.list()).toEqual([]);
    });

    it('the store of accounts lists by creation time, then id', () => {
      const { accounts } = autocommit(at.stores);
      accounts.insert(sampleAccount('c', { createdAt: 1 }));
      accounts.insert(sampleAccount('b', { createdAt: 2 }));
      accounts.insert(sampleAccount('a', { createdAt: 2 }));
      expect(accounts.list().map(({ name }) => name)).toEqual(['c', 'a', 'b']);
    });

    it('the store of accounts counts and finds the active ones of a role', () => {
      const { accounts } = autocommit(at.stores);
      expect(accounts.isEmpty()).toBe(true);
      accounts.insert(sampleAccount('off', { role: 'Super admin', status: 'Inactive', createdAt: 1 }));
      accounts.insert(sampleAccount('young', { role: 'Super admin', createdAt: 3 }));
      accounts.insert(sampleAccount('old', { role: 'Super admin', createdAt: 2 }));
      expect(accounts.isEmpty()).toBe(false);
      expect(accounts.countActive('Super admin')).toBe(2);
      expect(accounts.countActive('Admin')).toBe(0);
      expect(accounts.oldestActive('Super admin')?.name).toBe('old');
      expect(accounts.oldestActive('Admin')).toBeUndefined();
    });

    it('the removal of an account takes sign-ins, keys, links and memberships along (contract 2, DELETE /users/:id)', () => {
      const { accounts, apiTokens, signIns, resetLinks, teams } = autocommit(at.stores);
      for (const name of ['ann', 'bob']) {
        accounts.insert(sampleAccount(name));
        apiTokens.insert(sampleApiToken(`key of ${name}`, name), hashOf(`key of ${name}`));
        signIns.insert(sampleSignIn(`web of ${name}`, name), hashOf(`web of ${name}`));
        resetLinks.insert(sampleResetLink(`link of ${name}`, name), hashOf(`link of ${name}`));
      }
      signIns.insert(sampleSignIn('odd', 'bob', { apiTokenId: idOf('key of ann') }), hashOf('odd'));
      teams.insert({ id: 'lab', name: 'Lab' });
      teams.addMember('lab', idOf('ann'));
      expect(apiTokens.byHash(hashOf('key of ann'))).toBeDefined();
      expect(signIns.byHash(hashOf('web of ann'))).toBeDefined();
      expect(signIns.byHash(hashOf('odd'))).toBeDefined();

      accounts.remove(idOf('ann'));

      expect(accounts.byId(idOf('ann'))).toBeUndefined();
      expect(accounts.byAccessKey('svc_ann')).toBeUndefined();
      expect(apiTokens.byHash(hashOf('key of ann'))).toBeUndefined();
      expect(apiTokens.byId(idOf('key of ann'))).toBeUndefined();
      expect(signIns.byHash(hashOf('web of ann'))).toBeUndefined();
      expect(signIns.byHash(hashOf('odd'))).toBeUndefined();
      expect(resetLinks.byHash(hashOf('link of ann'))).toBeUndefined();
      expect(teams.membersOf('lab')).toEqual([]);
      expect(apiTokens.byHash(hashOf('key of bob'))).toBeDefined();
      expect(signIns.byHash(hashOf('web of bob'))).toBeDefined();
      expect(resetLinks.byHash(hashOf('link of bob'))).toBeDefined();
    });
  });
}
