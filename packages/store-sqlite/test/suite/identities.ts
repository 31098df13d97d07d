import type { Identity } from '@svc/accounts';
import { Conflict } from '@svc/auth-core';
import { autocommit, hashOf, idOf, sampleAccount, sampleSignIn } from '@svc/auth-core/testing';
import { describe, expect, it } from 'vitest';
import { type Open, opened } from './opened.ts';

const ISSUER = 'https://sso.test';

function sampleIdentity(name: string, account: string, rest: Partial<Identity> = {}): Identity {
  return {
    id: idOf(`identity of ${name}`),
    accountId: idOf(account),
    issuer: ISSUER,
    subject: name,
    createdAt: 1_000,
    lastSignInAt: null,
    ...rest,
  };
}

export function identitySuite(open: Open): void {
  describe('identities', () => {
    const at = opened(open);
    const withAccounts = (...names: string[]) => {
      const { accounts, identities, signIns } = autocommit(at.stores);
      for (const name of names) accounts.insert(sampleAccount(name));
      return { accounts, identities, signIns };
    };

    it('an e-mail address is unconfirmed until it is confirmed or its account is removed (contract 10.1)', () => {
      const { accounts, identities } = withAccounts('new', 'old');
      for (const name of ['new', 'old', 'old']) identities.setEmailUnconfirmed(idOf(name), true);
      const unconfirmed = () => ['new', 'old'].filter((name) => identities.isEmailUnconfirmed(idOf(name)));
      expect(unconfirmed()).toEqual(['new', 'old']);
      identities.setEmailUnconfirmed(idOf('new'), false);
      expect(unconfirmed()).toEqual(['old']);
      accounts.remove(idOf('old'));
      expect(unconfirmed()).toEqual([]);
    });

    it('identities are found by issuer and subject, both to the letter (contract 10.1)', () => {
      const { identities } = withAccounts('ann');
      const ann = sampleIdentity('Ann', 'ann');
      identities.insert(ann);
      expect(identities.bySubject(ISSUER, 'Ann')).toEqual(ann);
      expect(identities.bySubject(ISSUER, 'ann')).toBeUndefined();
      expect(identities.bySubject(`${ISSUER}/`, 'Ann')).toBeUndefined();
      identities.noteSignIn(ann.id, 2_000);
      expect(identities.listOf(idOf('ann'))).toEqual([{ ...ann, lastSignInAt: 2_000 }]);
    });

    it('identities belong to one account, and go with it (contract 10.1)', () => {
      const { identities, accounts } = withAccounts('ann', 'bob');
      identities.insert(sampleIdentity('one', 'ann', { createdAt: 2 }));
      identities.insert(sampleIdentity('two', 'ann', { createdAt: 1 }));
      expect(() => identities.insert({ ...sampleIdentity('one', 'bob'), id: idOf('x') })).toThrow(Conflict);
      expect(() => identities.insert(sampleIdentity('three', 'gone'))).toThrow(Conflict);
      expect(identities.listAll().map(({ subject }) => subject)).toEqual(['two', 'one']);
      accounts.remove(idOf('ann'));
      expect(identities.listAll()).toEqual([]);
      expect(identities.bySubject(ISSUER, 'one')).toBeUndefined();
    });

    it('identities are removed one by one (contract 10.1)', () => {
      const { identities } = withAccounts('ann');
      identities.insert(sampleIdentity('one', 'ann'));
      identities.insert(sampleIdentity('two', 'ann'));
      identities.remove(idOf('identity of one'));
      identities.remove(idOf('identity of nobody'));
      expect(identities.listAll().map(({ subject }) => subject)).toEqual(['two']);
      identities.insert(sampleIdentity('one', 'ann'));
      expect(identities.bySubject(ISSUER, 'one')?.accountId).toBe(idOf('ann'));
    });

    it('(contract 10.1) keep which sign-ins the provider proved, by session and by person', () => {
      const { identities } = withAccounts('ann', 'bob');
      const attach = (signIn: string, account: string, sid: string | null) => {
        const record = { signInId: signIn, accountId: idOf(account), issuer: ISSUER, subject: account, sid };
        identities.attachSignIn(record);
      };
      attach('a', 'ann', 's1');
      attach('b', 'ann', null);
      attach('c', 'bob', 's1');
      const found = (sid: string | null, subject: string | null) => {
        const query =
          sid === null ? { issuer: ISSUER, sid, subject: subject ?? '' } : { issuer: ISSUER, sid, subject };
        return identities.signInsOf(query).map(({ signInId }) => signInId);
      };
      expect(found('s1', null)).toEqual(['a', 'c']);
      expect(found('s1', 'ann')).toEqual(['a']);
      expect(found(null, 'ann')).toEqual(['a', 'b']);
      expect(found('s2', null)).toEqual([]);
      identities.detachSignIn('a');
      expect(found(null, 'ann')).toEqual(['b']);
    });

    it('(contract 10.1) keep an ended sign-in for as long as its tokens may live', () => {
      const { identities, signIns } = withAccounts('ann');
      signIns.insert(sampleSignIn('web', 'ann'), hashOf('web'));
      const record = { accountId: idOf('ann'), issuer: ISSUER, subject: 'ann', sid: null };
      identities.attachSignIn({ ...record, signInId: idOf('web') });
      const kept = () => identities.signInsOf({ issuer: ISSUER, sid: null, subject: 'ann' }).length;
      identities.removeEnded(1_000, 100);
      identities.removeEnded(9_000, 100);
      expect(kept()).toBe(1);
      signIns.end(idOf('web'));
      identities.removeEnded(10_000, 100);
      identities.removeEnded(10_099, 100);
      expect(kept()).toBe(1);
      identities.removeEnded(10_100, 100);
      expect(kept()).toBe(0);
    });
  });
}
