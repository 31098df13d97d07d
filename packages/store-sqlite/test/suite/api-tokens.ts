import type { AccountStores } from '@svc/accounts';
import { Conflict, scopeSet } from '@svc/auth-core';
import {
  autocommit,
  hashOf,
  idOf,
  sampleAccount,
  sampleApiToken,
  sampleSignIn,
} from '@svc/auth-core/testing';
import { describe, expect, it } from 'vitest';
import { type Open, opened } from './opened.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

export function apiTokenSuite(open: Open): void {
  describe('API tokens', () => {
    const at = opened(open);

    it('API tokens are found by the SHA-256 of the secret, which never comes back (contract 4)', () => {
      const { accounts, apiTokens, teams } = autocommit(at.stores);
      accounts.insert(sampleAccount('ann'));
      teams.insert({ id: 'lab', name: 'Lab' });
      const token = sampleApiToken('ci', 'ann', {
        kind: 'api-key',
        scopes: scopeSet(['admin', 'read']),
        rateLimit: 7,
        teamId: 'lab',
        expiresAt: 99,
        lastUsedAt: 5,
      });
      apiTokens.insert(token, hashOf('ci'));
      expect(apiTokens.byHash(hashOf('ci'))).toEqual(token);
      expect(apiTokens.byId(idOf('ci'))).toEqual(token);
      expect(apiTokens.byHash(hashOf('other'))).toBeUndefined();
      expect(apiTokens.byId('other')).toBeUndefined();
      expect(apiTokens.countOfTeam('lab')).toBe(1);
      expect(apiTokens.countOfTeam('other')).toBe(0);
    });

    it('API tokens are listed newest first, of one owner or of all', () => {
      const { accounts, apiTokens } = autocommit(at.stores);
      accounts.insert(sampleAccount('ann'));
      accounts.insert(sampleAccount('bob'));
      apiTokens.insert(sampleApiToken('old', 'ann', { createdAt: 1 }), hashOf('old'));
      apiTokens.insert(sampleApiToken('new', 'ann', { createdAt: 3 }), hashOf('new'));
      apiTokens.insert(sampleApiToken('mid', 'bob', { createdAt: 2 }), hashOf('mid'));
      expect(apiTokens.listOf(idOf('ann')).map(({ name }) => name)).toEqual(['new', 'old']);
      expect(apiTokens.listAll().map(({ name }) => name)).toEqual(['new', 'mid', 'old']);
    });

    it('API tokens are paged newest first, found by name or owner, without what expired (contract 2, /apikeys)', () => {
      const { accounts, apiTokens } = autocommit(at.stores);
      accounts.insert(sampleAccount('ann', { email: 'Ünal@svc.local' }));
      accounts.insert(sampleAccount('bob'));
      for (const [turn, [name, owner, expiresAt]] of (
        [
          ['CI 100%', 'ann', null],
          ['old', 'bob', 7],
          ['ci_two', 'bob', 8],
          ['same', 'ann', null],
        ] as const
      ).entries())
        apiTokens.insert(sampleApiToken(name, owner, { createdAt: turn >> 1, expiresAt }), hashOf(name));
      const page = ({
        before,
        ...rest
      }: Omit<Partial<Parameters<AccountStores['apiTokens']['page']>[0]>, 'before'> & {
        before?: string;
      } = {}) =>
        apiTokens
          .page({ now: 7, limit: 9, before: apiTokens.byId(before ?? ''), ...rest })
          .map(({ name }) => name);
      expect(page()).toEqual(['same', 'ci_two', 'CI 100%']);
      expect(page({ limit: 1 })).toEqual(['same']);
      expect(page({ before: idOf('same') })).toEqual(['ci_two', 'CI 100%']);
      expect(page({ before: idOf('ci_two') })).toEqual(['CI 100%']);
      // A page can also begin after a token that has expired since the last page was read.
      expect(page({ before: idOf('old') })).toEqual(['CI 100%']);
      expect(page({ search: 'cI' })).toEqual(['ci_two', 'CI 100%']);
      expect(page({ search: '0%' })).toEqual(['CI 100%']);
      expect(page({ search: '_' })).toEqual(['ci_two']);
      expect(page({ search: 'üNAL@' })).toEqual(['same', 'CI 100%']);
      expect(page({ search: 'üNAL@', before: idOf('same'), limit: 1 })).toEqual(['CI 100%']);
      apiTokens.insert(
        sampleApiToken('directory', 'ann', { kind: 'scim', createdAt: 9 }),
        hashOf('directory'),
      );
      apiTokens.insert(sampleApiToken('key', 'bob', { kind: 'api-key', createdAt: 8 }), hashOf('key'));
      expect(page({ kind: 'scim' })).toEqual(['directory']);
      expect(page({ kind: 'api-key' })).toEqual(['key']);
      expect(page({ kind: 'profile', search: 'cI' })).toEqual(['ci_two', 'CI 100%']);
      expect(page({ kind: 'scim', before: idOf('directory') })).toEqual([]);
    });

    it('API tokens are counted by owner, Profile tokens that have not expired alone (contract 4)', () => {
      const { accounts, apiTokens } = autocommit(at.stores);
      for (const name of ['ann', 'bob']) accounts.insert(sampleAccount(name));
      for (const [name, owner, expiresAt] of [
        ['never', 'ann', null],
        ['later', 'ann', 8],
        ['now', 'ann', 7],
        ['other', 'bob', null],
      ] as const)
        apiTokens.insert(sampleApiToken(name, owner, { expiresAt }), hashOf(name));
      apiTokens.insert(sampleApiToken('key', 'ann', { kind: 'api-key' }), hashOf('key'));
      expect(apiTokens.countLiveProfileTokens(idOf('ann'), 7)).toBe(2);
      expect(apiTokens.countLiveProfileTokens(idOf('nobody'), 7)).toBe(0);
      apiTokens.revoke(idOf('never'));
      expect(apiTokens.countLiveProfileTokens(idOf('ann'), 7)).toBe(1);
    });

    it('expired API tokens are removed by owner, all but those that expired last', () => {
      const { accounts, apiTokens, signIns } = autocommit(at.stores);
      for (const name of ['ann', 'bob']) accounts.insert(sampleAccount(name));
      for (const [name, owner, expiresAt] of [
        ['never', 'ann', null],
        ['later', 'ann', 8],
        ['now', 'ann', 7],
        ['before', 'ann', 6],
        ['long', 'ann', 1],
        ['other', 'bob', 1],
      ] as const)
        apiTokens.insert(sampleApiToken(name, owner, { expiresAt }), hashOf(name));
      apiTokens.insert(sampleApiToken('key', 'ann', { kind: 'api-key', expiresAt: 1 }), hashOf('key'));
      signIns.insert(sampleSignIn('web', 'ann', { apiTokenId: idOf('before') }), hashOf('web'));
      expect(apiTokens.byHash(hashOf('before'))?.name).toBe('before');
      apiTokens.removeExpiredProfileTokens(idOf('ann'), 7, 1);
      expect(apiTokens.byHash(hashOf('before'))).toBeUndefined();
      expect(signIns.byHash(hashOf('web'))).toBeUndefined();
      const left = apiTokens.listAll().map(({ name }) => name);
      expect(left.sort()).toEqual(['key', 'later', 'never', 'now', 'other']);
    });

    it('API tokens with a notice due are found in portions, from the time of the notice on (contract 10.6)', () => {
      const { accounts, apiTokens } = autocommit(at.stores);
      accounts.insert(sampleAccount('ann'));
      const week = 7 * DAY_MS;
      for (const [name, expiresAt] of [
        ['never', null],
        ['short', 2_000 + DAY_MS],
        ['week', 2_000 + week + 5],
        ['month', 2_000 + 30 * DAY_MS + 5],
      ] as const)
        apiTokens.insert(sampleApiToken(name, 'ann', { expiresAt }), hashOf(name));
      const due = (now: number, most = 9) =>
        apiTokens
          .withNoticeDue(now, most)
          .map(({ name }) => name)
          .sort();
      expect(due(2_004)).toEqual([]);
      expect(due(2_005)).toEqual(['month', 'week']);
      expect(due(2_005, 1)).toHaveLength(1);
      apiTokens.setNextNotice(idOf('week'), 3_000);
      apiTokens.setNextNotice(idOf('month'), null);
      expect(due(2_999)).toEqual([]);
      expect(due(3_000)).toEqual(['week']);
      apiTokens.revoke(idOf('week'));
      expect(due(Number.MAX_SAFE_INTEGER - 1)).toEqual([]);
    });

    it('API tokens refuse a hash or an id that is taken', () => {
      const { accounts, apiTokens } = autocommit(at.stores);
      accounts.insert(sampleAccount('ann'));
      apiTokens.insert(sampleApiToken('one', 'ann'), hashOf('one'));
      expect(() => apiTokens.insert(sampleApiToken('two', 'ann'), hashOf('one'))).toThrow(Conflict);
      expect(() => apiTokens.insert(sampleApiToken('one', 'ann'), hashOf('two'))).toThrow(Conflict);
    });

    it('API tokens refuse an owner or a team removed meanwhile', () => {
      const { accounts, apiTokens } = autocommit(at.stores);
      expect(() => apiTokens.insert(sampleApiToken('one', 'gone'), hashOf('one'))).toThrow(Conflict);
      accounts.insert(sampleAccount('ann'));
      const bound = sampleApiToken('one', 'ann', { teamId: 'gone' });
      expect(() => apiTokens.insert(bound, hashOf('one'))).toThrow(Conflict);
      expect(apiTokens.listAll()).toEqual([]);
    });

    it('API tokens are gone at once when revoked, with the sign-ins they opened (specification 2, Token)', () => {
      const { accounts, apiTokens, signIns } = autocommit(at.stores);
      accounts.insert(sampleAccount('ann'));
      apiTokens.insert(sampleApiToken('ci', 'ann'), hashOf('ci'));
      signIns.insert(sampleSignIn('web', 'ann', { apiTokenId: idOf('ci') }), hashOf('web'));
      signIns.insert(sampleSignIn('own', 'ann'), hashOf('own'));
      apiTokens.touch(idOf('ci'), 50);
      signIns.extend(idOf('web'), 50, 700_000);
      expect(apiTokens.byHash(hashOf('ci'))?.lastUsedAt).toBe(50);

      expect(apiTokens.revoke(idOf('ci'))).toBe(true);

      expect(apiTokens.byHash(hashOf('ci'))).toBeUndefined();
      expect(apiTokens.byId(idOf('ci'))).toBeUndefined();
      expect(signIns.byHash(hashOf('web'))).toBeUndefined();
      expect(signIns.byHash(hashOf('own'))).toBeDefined();
      expect(apiTokens.revoke(idOf('ci'))).toBe(false);
    });

    it('API tokens stay bound to a team that is removed: the bond never widens', () => {
      const { accounts, apiTokens, teams } = autocommit(at.stores);
      accounts.insert(sampleAccount('ann'));
      teams.insert({ id: 'lab', name: 'Lab' });
      apiTokens.insert(sampleApiToken('ci', 'ann', { teamId: 'lab' }), hashOf('ci'));
      teams.remove('lab');
      expect(apiTokens.byHash(hashOf('ci'))?.teamId).toBe('lab');
    });

    it('API tokens take another rate limit and keep everything else', () => {
      const { accounts, apiTokens } = autocommit(at.stores);
      accounts.insert(sampleAccount('ann'));
      apiTokens.insert(sampleApiToken('ci', 'ann'), hashOf('ci'));
      apiTokens.touch(idOf('ci'), 50);
      const before = apiTokens.byHash(hashOf('ci'));
      expect(apiTokens.setRateLimit(idOf('ci'), 9)).toBe(true);
      expect(apiTokens.byHash(hashOf('ci'))).toEqual({ ...before, rateLimit: 9, lastUsedAt: 50 });
      expect(before?.rateLimit).toBe(300);
      expect(apiTokens.setRateLimit('gone', 9)).toBe(false);
    });

    it('API tokens show their last use at once, and it never goes back', () => {
      const { accounts, apiTokens } = autocommit(at.stores);
      accounts.insert(sampleAccount('ann'));
      apiTokens.insert(sampleApiToken('ci', 'ann'), hashOf('ci'));
      apiTokens.touch(idOf('ci'), 60);
      apiTokens.touch(idOf('ci'), 40);
      apiTokens.touch('gone', 70);
      expect(apiTokens.byHash(hashOf('ci'))?.lastUsedAt).toBe(60);
      expect(apiTokens.byId(idOf('ci'))?.lastUsedAt).toBe(60);
      expect(apiTokens.listAll().map(({ lastUsedAt }) => lastUsedAt)).toEqual([60]);
      expect(apiTokens.listOf(idOf('ann')).map(({ lastUsedAt }) => lastUsedAt)).toEqual([60]);
      apiTokens.insert(sampleApiToken('gone', 'ann', { id: 'gone' }), hashOf('gone'));
      expect(apiTokens.byId('gone')?.lastUsedAt).toBeNull();
    });
  });
}
