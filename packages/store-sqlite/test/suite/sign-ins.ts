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
import { sampleResetLink } from '../../src/testing/account-rows.ts';
import { type Open, opened } from './opened.ts';

export function signInSuite(open: Open): void {
  describe('sign-ins', () => {
    const at = opened(open);
    const signedIn = (...names: string[]) => {
      const { accounts, signIns } = autocommit(at.stores);
      accounts.insert(sampleAccount('ann'));
      for (const name of names) signIns.insert(sampleSignIn(name, 'ann'), hashOf(name));
      return signIns;
    };

    it('sign-ins are found by the SHA-256 of the cookie (contract 4)', () => {
      const signIns = signedIn();
      autocommit(at.stores).apiTokens.insert(sampleApiToken('ci', 'ann'), hashOf('ci'));
      const full = sampleSignIn('web', 'ann', {
        userAgent: 'Firefox',
        scopes: scopeSet(['read']),
        until: 9_000,
        apiTokenId: idOf('ci'),
        teamId: 'lab',
        provenAt: 2_500,
      });
      signIns.insert(full, hashOf('web'));
      expect(signIns.byHash(hashOf('web'))).toEqual(full);
      expect(signIns.byId(idOf('web'))).toEqual(full);
      expect(signIns.byHash(hashOf('other'))).toBeUndefined();
    });

    it('limited to no scope at all are not the same as unlimited', () => {
      const signIns = signedIn();
      signIns.insert(sampleSignIn('none', 'ann', { scopes: scopeSet([]) }), hashOf('none'));
      signIns.insert(sampleSignIn('all', 'ann', { scopes: null }), hashOf('all'));
      expect(signIns.byHash(hashOf('none'))?.scopes).toBe(0);
      expect(signIns.byHash(hashOf('all'))?.scopes).toBeNull();
    });

    it('sign-ins are listed newest first', () => {
      const signIns = signedIn();
      signIns.insert(sampleSignIn('old', 'ann', { createdAt: 1 }), hashOf('old'));
      signIns.insert(sampleSignIn('new', 'ann', { createdAt: 2 }), hashOf('new'));
      expect(signIns.listOf(idOf('ann')).map(({ id }) => id)).toEqual([idOf('new'), idOf('old')]);
      expect(signIns.listOf('gone')).toEqual([]);
    });

    it('sign-ins refuse a cookie that is taken, and an account or API token removed meanwhile', () => {
      const signIns = signedIn('web');
      expect(() => signIns.insert(sampleSignIn('other', 'ann'), hashOf('web'))).toThrow(Conflict);
      expect(() => signIns.insert(sampleSignIn('other', 'gone'), hashOf('other'))).toThrow(Conflict);
      const opened = sampleSignIn('other', 'ann', { apiTokenId: 'gone' });
      expect(() => signIns.insert(opened, hashOf('other'))).toThrow(Conflict);
    });

    it('sign-ins show an extension at once, to the millisecond', () => {
      const signIns = signedIn('web');
      signIns.extend(idOf('web'), 3_001, 603_001);
      signIns.extend('gone', 3_001, 603_001);
      const extended = { lastSeenAt: 3_001, expiresAt: 603_001 };
      expect(signIns.byHash(hashOf('web'))).toEqual(sampleSignIn('web', 'ann', extended));
      expect(signIns.byId(idOf('web'))).toMatchObject(extended);
      expect(signIns.listOf(idOf('ann'))).toMatchObject([extended]);
    });

    it('(contract 10) keep when they were proved again, also beside an extension', () => {
      const signIns = signedIn('web', 'other');
      expect(signIns.byHash(hashOf('web'))?.provenAt).toBeNull();
      signIns.extend(idOf('web'), 3_001, 603_001);
      const before = at.stores.version();
      signIns.prove(idOf('web'), 3_002);
      expect(at.stores.version()).not.toBe(before);
      const proved = { provenAt: 3_002, lastSeenAt: 3_001, expiresAt: 603_001 };
      expect(signIns.byHash(hashOf('web'))).toMatchObject(proved);
      expect(signIns.byId(idOf('web'))).toMatchObject(proved);
      expect(signIns.byId(idOf('other'))?.provenAt).toBeNull();
      signIns.prove('gone', 3_003);
      expect(signIns.byId('gone')).toBeUndefined();
    });

    it('sign-ins end one by one, and no extension brings one back', () => {
      const signIns = signedIn('web');
      signIns.extend(idOf('web'), 100_000, 700_000);
      expect(signIns.end(idOf('web'))).toBe(true);
      signIns.extend(idOf('web'), 200_000, 800_000);
      expect(signIns.byHash(hashOf('web'))).toBeUndefined();
      expect(signIns.listOf(idOf('ann'))).toEqual([]);
      expect(signIns.end(idOf('web'))).toBe(false);
    });

    it('sign-ins end all together, but one if wanted, and say which', () => {
      const signIns = signedIn('a', 'b', 'c');
      autocommit(at.stores).accounts.insert(sampleAccount('bob'));
      signIns.insert(sampleSignIn('of bob', 'bob'), hashOf('of bob'));
      expect(signIns.byHash(hashOf('a'))).toBeDefined();
      expect(signIns.endAllOf(idOf('ann'), idOf('b')).sort()).toEqual([idOf('a'), idOf('c')]);
      expect(signIns.byHash(hashOf('a'))).toBeUndefined();
      expect(signIns.byHash(hashOf('b'))).toBeDefined();
      expect(signIns.endAllOf(idOf('ann'))).toEqual([idOf('b')]);
      expect(signIns.endAllOf(idOf('ann'))).toEqual([]);
      expect(signIns.byHash(hashOf('of bob'))).toBeDefined();
    });

    it('sign-ins are removed once they expired, and not while an extension keeps them alive', () => {
      const signIns = signedIn();
      signIns.insert(sampleSignIn('gone', 'ann', { expiresAt: 100_000 }), hashOf('gone'));
      signIns.insert(sampleSignIn('used', 'ann', { expiresAt: 100_000 }), hashOf('used'));
      signIns.insert(sampleSignIn('good', 'ann', { expiresAt: 100_001 }), hashOf('good'));
      expect(signIns.byHash(hashOf('gone'))).toBeDefined();
      signIns.extend(idOf('used'), 3_001, 100_001);
      signIns.removeExpired(100_000);
      expect(signIns.byHash(hashOf('gone'))).toBeUndefined();
      expect(signIns.byHash(hashOf('used'))?.expiresAt).toBe(100_001);
      expect(signIns.byHash(hashOf('good'))).toBeDefined();
    });
  });

  describe('reset links', () => {
    const at = opened(open);

    it('reset links are found by the SHA-256 of their token until they are cancelled (contract 4)', () => {
      const { accounts, resetLinks } = autocommit(at.stores);
      accounts.insert(sampleAccount('ann'));
      accounts.insert(sampleAccount('bob'));
      resetLinks.insert(sampleResetLink('one', 'ann'), hashOf('one'));
      resetLinks.insert(sampleResetLink('two', 'ann'), hashOf('two'));
      resetLinks.insert(sampleResetLink('three', 'bob'), hashOf('three'));
      expect(resetLinks.byHash(hashOf('one'))).toEqual(sampleResetLink('one', 'ann'));
      expect(resetLinks.byHash(hashOf('none'))).toBeUndefined();
      resetLinks.cancelAllOf(idOf('ann'));
      expect(resetLinks.byHash(hashOf('one'))).toBeUndefined();
      expect(resetLinks.byHash(hashOf('two'))).toBeUndefined();
      expect(resetLinks.byHash(hashOf('three'))).toBeDefined();
    });

    it('reset links are removed once they expired', () => {
      const { accounts, resetLinks } = autocommit(at.stores);
      accounts.insert(sampleAccount('ann'));
      resetLinks.insert(sampleResetLink('old', 'ann', { expiresAt: 10 }), hashOf('old'));
      resetLinks.insert(sampleResetLink('new', 'ann', { expiresAt: 11 }), hashOf('new'));
      resetLinks.removeExpired(10);
      expect(resetLinks.byHash(hashOf('old'))).toBeUndefined();
      expect(resetLinks.byHash(hashOf('new'))).toBeDefined();
    });

    it('reset links refuse a token that is taken and an account removed meanwhile', () => {
      const { accounts, resetLinks } = autocommit(at.stores);
      accounts.insert(sampleAccount('ann'));
      resetLinks.insert(sampleResetLink('one', 'ann'), hashOf('one'));
      expect(() => resetLinks.insert(sampleResetLink('two', 'ann'), hashOf('one'))).toThrow(Conflict);
      expect(() => resetLinks.insert(sampleResetLink('two', 'gone'), hashOf('two'))).toThrow(Conflict);
    });
  });
}
