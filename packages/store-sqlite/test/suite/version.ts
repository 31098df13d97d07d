import type { AccountStores, AccountTransaction } from '@svc/accounts';
import { hashOf, idOf, sampleAccount, sampleApiToken, sampleSignIn } from '@svc/auth-core/testing';
import { describe, expect, it } from 'vitest';
import { type Open, opened } from './opened.ts';

type Change = (tx: AccountTransaction) => unknown;

/** Changes after each of which `AccountStores.version` must return another number. */
const CHANGES: Record<string, Change> = {
  'an account that changed': ({ accounts }) => accounts.update(idOf('ann'), { role: 'Admin' }),
  'an account that went': ({ accounts }) => accounts.remove(idOf('ann')),
  'a token with another limit': ({ apiTokens }) => apiTokens.setRateLimit(idOf('ci'), 7),
  'a token that was revoked': ({ apiTokens }) => apiTokens.revoke(idOf('ci')),
  'a sign-in that ended': ({ signIns }) => signIns.end(idOf('web')),
  'sign-ins that all ended': ({ signIns }) => signIns.endAllOf(idOf('ann')),
  'a sign-in that expired': ({ signIns }) => signIns.removeExpired(1_000_000),
  'a revoked bearer token': ({ revocations }) =>
    revocations.add({
      id: idOf('jti'),
      accountId: idOf('ann'),
      cascades: false,
      expiresAt: 9_000,
      sourceId: null,
    }),
  'a member more': ({ teams }) => teams.addMember('two', idOf('ann')),
  'a member less': ({ teams }) => teams.removeMember('one', idOf('ann')),
  'a team that went': ({ teams }) => teams.remove('one'),
};

export function versionSuite(open: Open): void {
  describe('the version', () => {
    const at = opened(open);

    function furnish(): AccountStores {
      at.stores.transaction((tx) => {
        tx.accounts.insert(sampleAccount('ann'));
        tx.teams.insert({ id: 'one', name: 'One' });
        tx.teams.insert({ id: 'two', name: 'Two' });
        tx.teams.addMember('one', idOf('ann'));
        tx.apiTokens.insert(sampleApiToken('ci', 'ann'), hashOf('ci'));
        tx.signIns.insert(sampleSignIn('web', 'ann'), hashOf('web'));
      });
      handOut();
      return at.stores;
    }

    function handOut(): void {
      at.stores.accounts.byId(idOf('ann'));
      at.stores.apiTokens.byHash(hashOf('ci'));
      at.stores.signIns.byHash(hashOf('web'));
    }

    it('the version of the store stays while nothing changes', () => {
      const { version } = furnish();
      const before = version();
      handOut();
      expect(version()).toBe(before);
    });

    it.each(Object.entries(CHANGES))('the version of the store changes after %s', (_, change) => {
      const stores = furnish();
      const before = stores.version();
      stores.transaction(change);
      expect(stores.version()).not.toBe(before);
    });

    it.each(Object.entries(CHANGES))(
      'the version of the store changes after %s, and again when that is taken back',
      (_, change) => {
        const stores = furnish();
        const seen = [stores.version()];
        const failing = () =>
          stores.transaction((tx) => {
            change(tx);
            handOut();
            seen.push(stores.version());
            throw new Error('no');
          });
        expect(failing).toThrow('no');
        seen.push(stores.version());
        expect(new Set(seen).size).toBe(3);
      },
    );
  });
}
