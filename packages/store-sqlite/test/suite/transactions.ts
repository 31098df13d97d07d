import type { AccountTransaction } from '@svc/accounts';
import { Conflict } from '@svc/auth-core';
import {
  autocommit,
  hashOf,
  idOf,
  sampleAccount,
  sampleApiToken,
  sampleEntry,
  sampleSignIn,
} from '@svc/auth-core/testing';
import { describe, expect, it } from 'vitest';
import { type Open, opened } from './opened.ts';

export function transactionSuite(open: Open): void {
  describe('transactions', () => {
    const at = opened(open);
    const failing = (work: (tx: AccountTransaction) => void) => () =>
      at.stores.transaction((tx) => {
        work(tx);
        throw new Error('no');
      });

    /** Adds the account `ann` with an API token and a sign-in. */
    const furnish = () => {
      const { accounts, apiTokens, signIns } = autocommit(at.stores);
      accounts.insert(sampleAccount('ann', { passwordHash: 'old' }));
      apiTokens.insert(sampleApiToken('ci', 'ann'), hashOf('ci'));
      signIns.insert(sampleSignIn('web', 'ann'), hashOf('web'));
    };

    it('answer what the work answers', () => {
      expect(at.stores.transaction(() => 7)).toBe(7);
      expect(at.stores.transaction(() => null)).toBeNull();
    });

    it('transactions take back everything, also in the caches', () => {
      const { accounts, apiTokens, signIns, settings, replay } = at.stores;
      furnish();
      autocommit(at.stores).settings.save(new Map([['a', 1]]));
      autocommit(at.stores).teams.insert({ id: '1', name: 'Lab' });
      const before = snapshot();
      expect(
        failing((tx) => {
          tx.accounts.update(idOf('ann'), { role: 'Admin', accessKey: 'svc_new', passwordHash: 'new' });
          tx.teams.addMember('1', idOf('ann'));
          tx.settings.save(new Map([['a', 2]]));
          tx.replay.spend('ticket', 5);
          tx.accounts.insert(sampleAccount('bob'));
          apiTokens.touch(idOf('ci'), 77);
          signIns.extend(idOf('web'), 100_000, 700_000);
          // If a store has a faulty cache, this read puts the changes into the cache, and they are still there after
          // the rollback.
          expect(tx.accounts.byAccessKey('svc_new')).toMatchObject({ role: 'Admin', teams: [{ id: '1' }] });
          expect(tx.accounts.byAccessKey('svc_bob')).toBeDefined();
          expect(tx.apiTokens.byHash(hashOf('ci'))?.lastUsedAt).toBe(77);
          tx.apiTokens.revoke(idOf('ci'));
          tx.accounts.remove(idOf('ann'));
          expect(snapshot()).not.toEqual(before);
        }),
      ).toThrow('no');
      expect(snapshot()).toEqual(before);
      expect(accounts.byAccessKey('svc_new')).toBeUndefined();
      expect(accounts.byAccessKey('svc_bob')).toBeUndefined();
      expect(replay.isSpent('ticket')).toBe(false);

      function snapshot() {
        return [
          accounts.list(),
          accounts.byId(idOf('ann')),
          accounts.byAccessKey('svc_ann'),
          accounts.passwordHash(idOf('ann')),
          apiTokens.byHash(hashOf('ci')),
          signIns.byHash(hashOf('web')),
          [...settings.all()],
        ];
      }
    });

    it('transactions take back waiting writes also when there were no others', () => {
      const { apiTokens, signIns } = at.stores;
      furnish();
      const found = () => [apiTokens.byHash(hashOf('ci')), signIns.byHash(hashOf('web'))];
      const before = found();
      expect(failing(() => apiTokens.touch(idOf('ci'), 77))).toThrow('no');
      expect(failing(() => signIns.extend(idOf('web'), 100_000, 700_000))).toThrow('no');
      expect(found()).toEqual(before);
    });

    it('transactions show their own changes to every reader', () => {
      const { accounts, transaction } = at.stores;
      transaction((tx) => {
        tx.accounts.insert(sampleAccount('ann'));
        expect(accounts.byId(idOf('ann'))).toEqual(tx.accounts.byId(idOf('ann')));
        tx.accounts.update(idOf('ann'), { name: 'Ann' });
        expect(accounts.byAccessKey('svc_ann')?.name).toBe('Ann');
      });
    });

    it('transactions do not nest: the inner one is refused, and leaves nothing even when the outer one goes on', () => {
      const { accounts, apiTokens, transaction } = at.stores;
      const inner = () => transaction((tx) => tx.accounts.insert(sampleAccount('bob')));
      expect(failing(inner)).toThrow(TypeError);
      expect(accounts.isEmpty()).toBe(true);
      transaction((tx) => {
        tx.accounts.insert(sampleAccount('ann'));
        tx.apiTokens.insert(sampleApiToken('ci', 'ann'), hashOf('ci'));
        apiTokens.touch(idOf('ci'), 5);
        expect(inner).toThrow(TypeError);
      });
      expect(accounts.list().map(({ name }) => name)).toEqual(['ann']);
      expect(apiTokens.byHash(hashOf('ci'))?.lastUsedAt).toBe(5);
    });

    it('transactions are the only way to write: one that is over writes nothing more', () => {
      furnish();
      const over = at.stores.transaction((tx) => tx);
      const writes: (() => unknown)[] = [
        () => over.accounts.insert(sampleAccount('bob')),
        () => over.accounts.update(idOf('ann'), { name: 'Ann' }),
        () => over.accounts.remove(idOf('ann')),
        () => over.apiTokens.revoke(idOf('ci')),
        () => over.signIns.end(idOf('web')),
        () => over.teams.insert({ id: '1', name: 'Lab' }),
        () => over.audit.append(sampleEntry('one')),
        () => over.replay.spend('ticket', 5),
        () => over.settings.save(new Map([['a', 1]])),
      ];
      for (const write of writes) expect(write).toThrow(TypeError);
      const { accounts, apiTokens, signIns, teams, audit, replay, settings } = at.stores;
      expect(accounts.list().map(({ name }) => name)).toEqual(['ann']);
      expect(apiTokens.byHash(hashOf('ci'))).toBeDefined();
      expect(signIns.byHash(hashOf('web'))).toBeDefined();
      expect([teams.list(), audit.page(null, 1), [...settings.all()]]).toEqual([[], [], []]);
      expect(replay.isSpent('ticket')).toBe(false);
    });

    it('transactions go on after a conflict that is caught', () => {
      const { accounts, transaction } = at.stores;
      furnish();
      transaction((tx) => {
        tx.accounts.update(idOf('ann'), { name: 'Ann' });
        expect(() => tx.accounts.insert(sampleAccount('bob', { accessKey: 'svc_ann' }))).toThrow(Conflict);
      });
      expect(accounts.list().map(({ name }) => name)).toEqual(['Ann']);
    });

    it.each(['goes through', 'fails'])(
      'work that waits for the end of a transaction is done when one %s',
      (how) => {
        const { accounts, settings, transaction, afterTransaction } = at.stores;
        const seen: string[] = [];
        const insert = (name: string) => () => {
          seen.push(name);
          transaction((tx) => tx.accounts.insert(sampleAccount(name)));
        };
        const work = () =>
          transaction((tx) => {
            tx.settings.save(new Map([['a', 1]]));
            afterTransaction(insert('ann'));
            afterTransaction(insert('bob'));
            expect(seen).toEqual([]);
            if (how === 'fails') throw new Error('no');
          });
        if (how === 'fails') expect(work).toThrow('no');
        else work();
        expect(seen).toEqual(['ann', 'bob']);
        expect(accounts.list().map(({ name }) => name)).toEqual(['ann', 'bob']);
        expect(settings.all().size).toBe(how === 'fails' ? 0 : 1);
        afterTransaction(insert('cy'));
        expect(seen).toEqual(['ann', 'bob', 'cy']);
      },
    );

    it('transactions refuse work that returns a promise, and keep nothing of it', () => {
      const { accounts, transaction } = at.stores;
      const insert = async (tx: AccountTransaction) => tx.accounts.insert(sampleAccount('ann'));
      expect(() => transaction(insert)).toThrow(TypeError);
      expect(() => transaction(async () => Promise.reject(new Error('late')))).toThrow(TypeError);
      expect(accounts.isEmpty()).toBe(true);
      transaction((tx) => tx.accounts.insert(sampleAccount('bob')));
      expect(accounts.list()).toHaveLength(1);
    });
  });
}
