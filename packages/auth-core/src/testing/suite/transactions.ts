import { describe, expect, it } from 'vitest';
import { Conflict } from '../../errors.ts';
import { hashOf, idOf, sampleAccount, sampleApiToken, sampleSignIn } from '../sample-rows.ts';
import { type Open, opened } from './opened.ts';

export function transactionSuite(open: Open): void {
  describe('transactions', () => {
    const at = opened(open);
    const failing = (work: () => void) => () =>
      at.stores.transaction(() => {
        work();
        throw new Error('no');
      });

    it('answer what the work answers', () => {
      expect(at.stores.transaction(() => at.stores.transaction(() => 7))).toBe(7);
      expect(at.stores.transaction(() => null)).toBeNull();
    });

    it('take back everything, in what is remembered too', () => {
      const { accounts, apiTokens, signIns, teams, settings, replay } = at.stores;
      accounts.insert(sampleAccount('ann', { passwordHash: 'old' }));
      apiTokens.insert(sampleApiToken('ci', 'ann'), hashOf('ci'));
      signIns.insert(sampleSignIn('web', 'ann'), hashOf('web'));
      settings.save(new Map([['a', 1]]));
      teams.insert({ id: '1', name: 'Lab' });
      const before = snapshot();
      expect(
        failing(() => {
          accounts.update(idOf('ann'), { role: 'Admin', accessKey: 'svc_new', passwordHash: 'new' });
          teams.addMember('1', idOf('ann'));
          settings.save(new Map([['a', 2]]));
          replay.spend('ticket', 5);
          accounts.insert(sampleAccount('bob'));
          apiTokens.touch(idOf('ci'), 77);
          signIns.extend(idOf('web'), 100_000, 700_000);
          // Read inside, so that what is read could be remembered.
          expect(accounts.byAccessKey('svc_new')).toMatchObject({ role: 'Admin', teams: [{ id: '1' }] });
          expect(accounts.byAccessKey('svc_bob')).toBeDefined();
          expect(apiTokens.byHash(hashOf('ci'))?.lastUsedAt).toBe(77);
          apiTokens.revoke(idOf('ci'));
          accounts.remove(idOf('ann'));
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

    it('take back what waits to be written, when that is all there was', () => {
      const { accounts, apiTokens, signIns } = at.stores;
      accounts.insert(sampleAccount('ann'));
      apiTokens.insert(sampleApiToken('ci', 'ann'), hashOf('ci'));
      signIns.insert(sampleSignIn('web', 'ann'), hashOf('web'));
      const found = () => [apiTokens.byHash(hashOf('ci')), signIns.byHash(hashOf('web'))];
      const before = found();
      expect(failing(() => apiTokens.touch(idOf('ci'), 77))).toThrow('no');
      expect(failing(() => signIns.extend(idOf('web'), 100_000, 700_000))).toThrow('no');
      expect(found()).toEqual(before);
    });

    it('nested ones join the outer one', () => {
      const { accounts, transaction } = at.stores;
      expect(failing(() => transaction(() => accounts.insert(sampleAccount('ann'))))).toThrow('no');
      expect(accounts.isEmpty()).toBe(true);
    });

    it('a nested one that fails leaves nothing, even when the outer one goes on', () => {
      const { accounts, apiTokens, transaction } = at.stores;
      transaction(() => {
        accounts.insert(sampleAccount('ann'));
        apiTokens.insert(sampleApiToken('ci', 'ann'), hashOf('ci'));
        apiTokens.touch(idOf('ci'), 5);
        expect(
          failing(() => {
            accounts.insert(sampleAccount('bob'));
            apiTokens.touch(idOf('ci'), 9);
          }),
        ).toThrow('no');
        expect(accounts.byAccessKey('svc_bob')).toBeUndefined();
      });
      expect(accounts.list().map(({ name }) => name)).toEqual(['ann']);
      expect(apiTokens.byHash(hashOf('ci'))?.lastUsedAt).toBe(5);
    });

    it('go on after a conflict that is caught', () => {
      const { accounts, transaction } = at.stores;
      accounts.insert(sampleAccount('ann'));
      transaction(() => {
        accounts.update(idOf('ann'), { name: 'Ann' });
        expect(() => accounts.insert(sampleAccount('bob', { accessKey: 'svc_ann' }))).toThrow(Conflict);
      });
      expect(accounts.list().map(({ name }) => name)).toEqual(['Ann']);
    });

    it.each(['goes through', 'fails'])('what waits for the end is done when one %s', (how) => {
      const { accounts, settings, transaction, afterTransaction } = at.stores;
      const seen: string[] = [];
      const insert = (name: string) => () => {
        seen.push(name);
        transaction(() => accounts.insert(sampleAccount(name)));
      };
      const work = () =>
        transaction(() => {
          settings.save(new Map([['a', 1]]));
          transaction(() => afterTransaction(insert('ann')));
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
    });

    it('refuse work that returns a promise, and keep nothing of it', () => {
      const { accounts, transaction } = at.stores;
      const insert = async () => accounts.insert(sampleAccount('ann'));
      expect(() => transaction(insert)).toThrow(TypeError);
      expect(() => transaction(() => transaction(async () => Promise.reject(new Error('late'))))).toThrow(
        TypeError,
      );
      expect(accounts.isEmpty()).toBe(true);
      transaction(() => accounts.insert(sampleAccount('bob')));
      expect(accounts.list()).toHaveLength(1);
    });
  });
}
