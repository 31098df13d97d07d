import { describe, expect, it } from 'vitest';
import { Conflict } from '../../errors.ts';
import { autocommit } from '../autocommit.ts';
import { idOf, sampleEntry } from '../sample-rows.ts';
import { type Open, opened } from './opened.ts';

export function trailSuite(open: Open): void {
  auditSuite(open);
  spentSuite(open);
  settingSuite(open);
}

function auditSuite(open: Open): void {
  describe('audit trail', () => {
    const at = opened(open);

    it('links each row, its id included, to the one before (contract 2, /audit)', () => {
      const { audit } = autocommit(at.stores);
      const login = sampleEntry('authn_login_success', {
        id: '7d1f0a3c-52be-4c7e-9a51-0f3f6f0a8e11',
        at: 1_700_000_000_000,
      });
      const full = sampleEntry('authz_fail', {
        id: '0b9a7c66-1f0d-4e0a-8b1b-d6a1b2c3d4e5',
        at: 1_700_000_000_001,
        outcome: 'failure',
        actor: 'ann',
        target: 'bob',
        address: '10.0.0.1',
        requestId: 'r-1',
        reason: 'rôle\u0000 "too" low 📵',
      });
      audit.append(login);
      audit.append(full);
      // Written down, so that no change of the code can make old trails look forged.
      const first = '24f49c0df52f6fed7df00cc4ef1574c50581a266cc4c125778aac929be5a2a39';
      const second = '0d4af00e37039e718a6888366d5a4a297ee2e6b191cb24d1fe61515133c7bf8d';
      expect(audit.page(null, 10)).toEqual([
        { ...full, hash: second, previousHash: first },
        { ...login, hash: first, previousHash: '0'.repeat(64) },
      ]);
      expect(audit.firstBroken()).toBeNull();
    });

    it('keeps its chain whatever text an attacker gets into it', () => {
      const { audit } = autocommit(at.stores);
      audit.append(sampleEntry('one', { target: 'half \ud83d pair', reason: '\udcf5' }));
      audit.append(sampleEntry('two', { target: '', reason: '\u0000' }));
      expect(audit.page(null, 2)[1]).toMatchObject({ target: 'half \ufffd pair', reason: '\ufffd' });
      expect(audit.page(null, 1)[0]).toMatchObject({ target: '', reason: '\u0000' });
      expect(audit.firstBroken()).toBeNull();
    });

    it('is paged from a row back, whatever order ids and times have (contract 2, /audit)', () => {
      const { audit } = autocommit(at.stores);
      for (const [turn, name] of ['d', 'a', 'e', 'c', 'b'].entries())
        audit.append(sampleEntry(name, { at: 9 - turn }));
      const page = (before: string | null) => audit.page(before, 2).map(({ event }) => event);
      expect(page(null)).toEqual(['b', 'c']);
      expect(page(idOf('c'))).toEqual(['e', 'a']);
      expect(page(idOf('a'))).toEqual(['d']);
      expect(page(idOf('d'))).toEqual([]);
      expect(page(idOf('nobody'))).toEqual([]);
      expect([audit.has(idOf('a')), audit.has(idOf('nobody'))]).toEqual([true, false]);
    });

    it('takes an id once', () => {
      const { audit } = autocommit(at.stores);
      audit.append(sampleEntry('one'));
      expect(() => audit.append(sampleEntry('two', { id: idOf('one') }))).toThrow(Conflict);
      audit.append(sampleEntry('three'));
      expect(audit.page(null, 9).map(({ event }) => event)).toEqual(['three', 'one']);
      expect(audit.firstBroken()).toBeNull();
    });

    it('holds when it is empty', () => {
      expect(autocommit(at.stores).audit.firstBroken()).toBeNull();
      expect(autocommit(at.stores).audit.page(null, 5)).toEqual([]);
    });

    it('a row stands or falls with the change it reports', () => {
      const { audit, transaction } = at.stores;
      transaction((tx) => tx.audit.append(sampleEntry('one')));
      expect(() =>
        transaction((tx) => {
          tx.audit.append(sampleEntry('never'));
          throw new Error('no');
        }),
      ).toThrow('no');
      transaction((tx) => tx.audit.append(sampleEntry('two')));
      expect(audit.page(null, 9).map(({ event }) => event)).toEqual(['two', 'one']);
      expect(audit.firstBroken()).toBeNull();
    });
  });
}

function spentSuite(open: Open): void {
  describe('spent marks', () => {
    const at = opened(open);

    it('(contract 4, tickets) can be set once', () => {
      const { replay } = autocommit(at.stores);
      expect(replay.isSpent('t')).toBe(false);
      expect(replay.spend('t', 10)).toBe(true);
      expect(replay.spend('t', 20)).toBe(false);
      expect(replay.isSpent('t')).toBe(true);
      expect(replay.spend('u', 10)).toBe(true);
    });

    it('are kept until they may be forgotten', () => {
      const { replay } = autocommit(at.stores);
      replay.spend('old', 10);
      replay.spend('new', 11);
      replay.removeExpired(10);
      expect(replay.isSpent('old')).toBe(false);
      expect(replay.spend('new', 11)).toBe(false);
    });
  });
}

function settingSuite(open: Open): void {
  describe('settings', () => {
    const at = opened(open);

    it('keep any JSON value; those not named stay', () => {
      const { settings } = autocommit(at.stores);
      expect([...settings.all()]).toEqual([]);
      settings.save(
        new Map<string, unknown>([
          ['b', { deep: [1, null, 'x'] }],
          ['a', false],
          ['c', null],
        ]),
      );
      settings.save(new Map([['a', true]]));
      expect([...settings.all()]).toEqual([
        ['a', true],
        ['b', { deep: [1, null, 'x'] }],
        ['c', null],
      ]);
      settings.save(new Map([['b', undefined]]));
      expect([...settings.all().keys()]).toEqual(['a', 'c']);
    });
  });
}
