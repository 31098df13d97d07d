import { KEPT_RUNS } from '@svc/accounts';
import { Conflict } from '@svc/auth-core';
import {
  autocommit,
  hashOf,
  idOf,
  sampleAccount,
  sampleApiToken,
  sampleSignIn,
} from '@svc/auth-core/testing';
import { describe, expect, it } from 'vitest';
import { sampleTrustRule } from '../../src/testing/account-rows.ts';
import { type Open, opened } from './opened.ts';

const origin = (name: string) => ({ id: idOf(name), subject: 'repo:o/r', run: 'o/r@main, run 812' });

export function trustRuleSuite(open: Open): void {
  describe('trust rules', () => {
    const at = opened(open);

    it('the store of trust rules keeps every field, and lists the newest first', () => {
      const { accounts, teams, trustRules } = autocommit(at.stores);
      accounts.insert(sampleAccount('ann'));
      teams.insert({ id: idOf('qa'), name: 'QA' });
      const full = sampleTrustRule('full', 'ann', {
        audience: 'https://lab.example',
        jwks: { keys: [{ kty: 'RSA', n: 'AQ', e: 'AQAB' }] },
        claims: [{ claim: 'repository_id', anyOf: ['74', 75, true] }],
        teamId: idOf('qa'),
        createdAt: 9_000,
        expiresAt: 99_000,
      });
      trustRules.insert(sampleTrustRule('plain', 'ann'));
      trustRules.insert(full);
      expect(at.stores.trustRules.byId(full.id)).toEqual(full);
      expect(at.stores.trustRules.list().map(({ name }) => name)).toEqual(['full', 'plain']);
      expect(at.stores.trustRules.byId('gone')).toBeUndefined();
    });

    it('the store of trust rules refuses an owner or a team that no longer exists', () => {
      const { accounts, trustRules } = autocommit(at.stores);
      expect(() => trustRules.insert(sampleTrustRule('ci', 'gone'))).toThrow(Conflict);
      accounts.insert(sampleAccount('ann'));
      expect(() => trustRules.insert(sampleTrustRule('ci', 'ann', { teamId: 'gone' }))).toThrow(Conflict);
    });

    it('a change is seen immediately and raises the version; a run does not, and only the last runs are kept', () => {
      const { accounts, trustRules } = autocommit(at.stores);
      accounts.insert(sampleAccount('ann'));
      trustRules.insert(sampleTrustRule('ci', 'ann'));
      const before = at.stores.version();
      for (let run = 1; run <= KEPT_RUNS + 2; run++)
        trustRules.noteRun(idOf('ci'), { at: run, subject: 's', run: `run ${run}` });
      expect(at.stores.version()).toBe(before);
      const { runs, lastUsedAt } = at.stores.trustRules.byId(idOf('ci')) ?? {};
      expect(runs).toHaveLength(KEPT_RUNS);
      expect(runs?.[0]?.run).toBe(`run ${KEPT_RUNS + 2}`);
      expect(lastUsedAt).toBe(KEPT_RUNS + 2);
      trustRules.update(idOf('ci'), { paused: true, name: 'new name' });
      expect(at.stores.version()).not.toBe(before);
      expect(at.stores.trustRules.byId(idOf('ci'))).toMatchObject({ paused: true, name: 'new name' });
    });

    it('removing a rule removes the keys, sign-ins and rules that were made with it (contract 10.3)', () => {
      const { accounts, apiTokens, signIns, trustRules } = autocommit(at.stores);
      accounts.insert(sampleAccount('ann'));
      trustRules.insert(sampleTrustRule('ci', 'ann'));
      trustRules.insert(sampleTrustRule('child', 'ann', { parentId: idOf('ci') }));
      trustRules.insert(sampleTrustRule('other', 'ann'));
      const made = sampleApiToken('made', 'ann', { rule: origin('child') });
      apiTokens.insert(made, hashOf('made'));
      apiTokens.insert(sampleApiToken('kept', 'ann'), hashOf('kept'));
      signIns.insert(sampleSignIn('web', 'ann', { rule: origin('ci') }), hashOf('web'));
      signIns.insert(sampleSignIn('by key', 'ann', { apiTokenId: idOf('made') }), hashOf('by key'));
      expect(at.stores.apiTokens.byHash(hashOf('made'))).toEqual(made);
      expect(at.stores.signIns.byHash(hashOf('web'))?.rule).toEqual(origin('ci'));
      const before = at.stores.version();
      expect(trustRules.remove(idOf('ci'))).toBe(true);
      expect(at.stores.version()).not.toBe(before);
      expect(at.stores.trustRules.list().map(({ name }) => name)).toEqual(['other']);
      expect(at.stores.apiTokens.listAll().map(({ name }) => name)).toEqual(['kept']);
      expect(at.stores.apiTokens.byHash(hashOf('made'))).toBeUndefined();
      for (const name of ['web', 'by key']) expect(at.stores.signIns.byHash(hashOf(name))).toBeUndefined();
      expect(trustRules.remove(idOf('ci'))).toBe(false);
    });

    it('an account goes with its rules, and a rollback restores what was removed', () => {
      const { accounts, trustRules } = autocommit(at.stores);
      accounts.insert(sampleAccount('ann'));
      trustRules.insert(sampleTrustRule('ci', 'ann'));
      const failing = () =>
        at.stores.transaction((tx) => {
          tx.trustRules.remove(idOf('ci'));
          throw new Error('rolled back');
        });
      expect(failing).toThrow('rolled back');
      expect(at.stores.trustRules.byId(idOf('ci'))).toBeDefined();
      accounts.remove(idOf('ann'));
      expect(at.stores.trustRules.list()).toEqual([]);
    });
  });
}
