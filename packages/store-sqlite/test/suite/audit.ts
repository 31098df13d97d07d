import { type AuditEntry, type AuditFound, type AuditRow, type AuditSearch, Conflict } from '@svc/auth-core';
import { autocommit, idOf, sampleEntry, TEST_AUDIT_KEY } from '@svc/auth-core/testing';
import { describe, expect, it } from 'vitest';
import { AuditChain, CHAIN_START, type NumberedRow } from '../../src/stores/audit-chain.ts';
import { type Open, opened } from './opened.ts';

export function auditSuite(open: Open): void {
  describe('audit trail', () => {
    const at = opened(open);

    it('the audit trail links each row, its id included, to the one before (contract 2, /audit)', () => {
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
        peer: '10.0.0.2',
        requestId: 'r-1',
        reason: 'rôle\u0000 "too" low 📵',
      });
      audit.append(login);
      audit.append(full);
      // These hashes are literals, so that this test fails if a change of the code would make existing trails look
      // forged.
      const first = 'cf4e31e04fbc9b0a04174df6d2e462fcf9f90a28735198a9e594f151ee1910bd';
      const second = 'f3329218f25d2daa74a8c016499fc721bd30daca382a2e958a0dff054f97ba00';
      expect(audit.page(null, 10)).toEqual([
        { ...full, via: null, hash: second, previousHash: first },
        { ...login, via: null, hash: first, previousHash: '0'.repeat(64) },
      ]);
      expect(audit.check().problem).toBeNull();
    });

    it('the audit trail keeps its chain whatever text an attacker gets into it', () => {
      const { audit } = autocommit(at.stores);
      audit.append(sampleEntry('one', { target: 'half \ud83d pair', reason: '\udcf5' }));
      audit.append(sampleEntry('two', { target: '', reason: '\u0000' }));
      expect(audit.page(null, 2)[1]).toMatchObject({ target: 'half \ufffd pair', reason: '\ufffd' });
      expect(audit.page(null, 1)[0]).toMatchObject({ target: '', reason: '\u0000' });
      expect(audit.check().problem).toBeNull();
    });

    it('the audit trail is paged from a row back, whatever order ids and times have (contract 2, /audit)', () => {
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

    it('the audit trail finds rows by actor, event and time, whatever their order (contract 2, /audit)', () => {
      const { audit } = autocommit(at.stores);
      for (const [turn, [event, actor]] of [
        ['made', 'ann'],
        ['gone', 'bob'],
        ['made', 'bob'],
        ['made', null],
      ].entries())
        audit.append(
          sampleEntry(event ?? '', { id: idOf(`row ${turn}`), at: 9 - turn, actor: actor ?? null }),
        );
      const found = (filter: AuditSearch['filter'], scan = 9, limit = 9) => {
        const { rows, next } = audit.search({ filter, before: null, limit, scan });
        return [...rows.map(({ at: time }) => time), next];
      };
      expect(found({})).toEqual([6, 7, 8, 9, null]);
      expect(found({ event: 'made' })).toEqual([6, 7, 9, null]);
      expect(found({ event: 'MADE' })).toEqual([null]);
      expect(found({ event: 'made', actor: 'bob' })).toEqual([7, null]);
      expect(found({ from: 7 })).toEqual([7, 8, 9, null]);
      expect(found({ from: 7, to: 9 })).toEqual([7, 8, null]);
      expect(found({}, 9, 2)).toEqual([6, 7, idOf('row 2')]);
      expect(found({}, 9, 4)).toEqual([6, 7, 8, 9, null]);
      // This search reads only two rows, and neither matches. It returns only `next`, because older rows have not been
      // searched yet.
      expect(found({ actor: 'ann' }, 2)).toEqual([idOf('row 2')]);
      expect(audit.search({ filter: {}, before: idOf('nobody'), limit: 9, scan: 9 })).toEqual({
        rows: [],
        next: null,
      });
    });

    it('(contract 2, /audit) a search in small looks finds what one look finds, also after a removal', () => {
      const { audit } = autocommit(at.stores);
      for (let turn = 0; turn < 23; turn += 1)
        audit.append(sampleEntry(`turn ${turn % 3}`, { id: idOf(`row ${turn}`), at: turn }));
      audit.removeBefore(4, 99);
      const all = audit.search({ filter: { event: 'turn 1' }, before: null, limit: 99, scan: 99 }).rows;
      expect(all).toHaveLength(7);
      for (const [limit, scan] of [
        [1, 1],
        [2, 3],
        [3, 2],
        [5, 50],
      ] as const) {
        const rows: AuditRow[] = [];
        let before: string | null = null;
        let looks = 0;
        do {
          const found: AuditFound = audit.search({ filter: { event: 'turn 1' }, before, limit, scan });
          rows.push(...found.rows);
          before = found.next;
          looks += 1;
        } while (before !== null && looks < 99);
        expect(rows).toEqual(all);
      }
    });

    it('a search from the oldest row finds the same rows in the other order, in looks of every size (contract 2, /audit)', () => {
      const { audit } = autocommit(at.stores);
      for (let turn = 0; turn < 23; turn += 1)
        audit.append(sampleEntry(`turn ${turn % 3}`, { id: idOf(`row ${turn}`), at: turn }));
      audit.removeBefore(4, 99);
      for (const filter of [{}, { event: 'turn 1' }, { from: 7, to: 19 }, { event: 'none' }]) {
        const newest = audit.search({ filter, before: null, limit: 99, scan: 99 }).rows;
        for (const [limit, scan] of [
          [99, 99],
          [1, 1],
          [2, 3],
          [3, 2],
          [5, 50],
        ] as const) {
          const rows: AuditRow[] = [];
          let before: string | null = null;
          let looks = 0;
          do {
            const found: AuditFound = audit.search({ filter, order: 'oldest', before, limit, scan });
            expect(found.rows.length).toBeLessThanOrEqual(limit);
            rows.push(...found.rows);
            before = found.next;
            looks += 1;
          } while (before !== null && looks < 99);
          expect(rows).toEqual(newest.toReversed());
        }
      }
      const unknown = { filter: {}, order: 'oldest', before: idOf('nobody'), limit: 9, scan: 9 } as const;
      expect(audit.search(unknown)).toEqual({ rows: [], next: null });
    });

    it('the audit trail is checked in steps with the result of one check', () => {
      const { audit } = autocommit(at.stores);
      for (let turn = 0; turn < 5; turn += 1)
        audit.append(sampleEntry('one', { id: idOf(`row ${turn}`), at: turn }));
      audit.removeBefore(2, 9);
      const steps = audit.checkInSteps();
      let step = steps.next();
      while (step.done !== true) step = steps.next();
      expect(step.value).toEqual(audit.check());
    });

    it('the audit trail has the same chain whether rows come one by one or together (contract 2, /audit)', () => {
      const { audit } = autocommit(at.stores);
      const entries = ['a', 'b', 'c', 'd'].map((name, turn) => sampleEntry(name, { at: turn }));
      const [first, ...others] = entries as [AuditEntry, ...AuditEntry[]];
      audit.append(first);
      audit.append(...others);
      audit.append();
      const chain = new AuditChain(Buffer.from(TEST_AUDIT_KEY, 'hex'));
      const expected: NumberedRow[] = [];
      for (const entry of entries)
        expected.push(chain.after(expected.at(-1) ?? { number: 0, hash: CHAIN_START }, entry));
      expect([...audit.oldestFirst()]).toEqual(expected.map(({ number: _, ...row }) => row));
      expect(audit.check()).toMatchObject({ head: { count: 4 }, problem: null });
    });

    it('the audit trail keeps the rows before one whose id is taken, and its chain', () => {
      at.stores.transaction(({ audit }) => {
        audit.append(sampleEntry('one'));
        const again = sampleEntry('again', { id: idOf('one') });
        expect(() => audit.append(sampleEntry('two'), again, sampleEntry('never'))).toThrow(Conflict);
        audit.append(sampleEntry('three'));
      });
      expect(at.stores.audit.page(null, 9).map(({ event }) => event)).toEqual(['three', 'two', 'one']);
      expect(at.stores.audit.check().problem).toBeNull();
    });

    it('the audit trail takes an id once', () => {
      const { audit } = autocommit(at.stores);
      audit.append(sampleEntry('one'));
      expect(() => audit.append(sampleEntry('two', { id: idOf('one') }))).toThrow(Conflict);
      audit.append(sampleEntry('three'));
      expect(audit.page(null, 9).map(({ event }) => event)).toEqual(['three', 'one']);
      expect(audit.check().problem).toBeNull();
    });

    it('the audit trail holds when it is empty', () => {
      expect(autocommit(at.stores).audit.check().problem).toBeNull();
      expect(autocommit(at.stores).audit.page(null, 5)).toEqual([]);
    });

    it('the audit trail loses its oldest rows, and the chain begins after them (contract 2, /audit)', () => {
      const { audit } = autocommit(at.stores);
      for (const [turn, name] of ['a', 'b', 'c', 'd', 'e'].entries())
        audit.append(sampleEntry(name, { at: turn }));
      expect(audit.removeBefore(0, 9)).toEqual({ count: 0, problem: null });
      expect(audit.removeBefore(3, 2)).toEqual({ count: 2, problem: null });
      expect(audit.removeBefore(3, 2)).toEqual({ count: 1, problem: null });
      expect(audit.page(null, 9).map(({ event }) => event)).toEqual(['e', 'd']);
      const head = { count: 5, hash: audit.page(null, 1)[0]?.hash };
      expect(audit.check()).toEqual({ head, removed: 3, unkeyed: 0, problem: null });
      expect(audit.removeBefore(9, 9)).toEqual({ count: 2, problem: null });
      expect(audit.check()).toMatchObject({ head, removed: 5, problem: null });
      audit.append(sampleEntry('f', { at: 5 }));
      expect(audit.check()).toMatchObject({ head: { count: 6 }, removed: 5, problem: null });
      expect(audit.head()).toEqual({ count: 6, hash: audit.page(null, 1)[0]?.hash });
      expect(audit.page(null, 9)[0]?.previousHash).toBe(head.hash);
    });

    it('the audit trail keeps what is old but stands behind something newer: the clock was wrong for a while', () => {
      const { audit } = autocommit(at.stores);
      for (const [turn, time] of [5, 90, 6, 7].entries())
        audit.append(sampleEntry(`row ${turn}`, { at: time }));
      expect(audit.removeBefore(50, 9)).toEqual({ count: 1, problem: null });
      expect(audit.page(null, 9)).toHaveLength(3);
      expect(audit.check().problem).toBeNull();
    });

    it('the audit trail knows the last addresses from which each account signed in, whatever else it holds', () => {
      const { audit } = autocommit(at.stores);
      let turn = 0;
      const row = (event: string, actor: string | null, address: string | null) => {
        turn += 1;
        audit.append(sampleEntry(event, { id: idOf(`row ${turn}`), actor, address }));
      };
      const signIn = (actor: string, address: string) => row('authn_login_success', actor, address);
      signIn('ann', '10.0.0.1');
      signIn('ann', '10.0.0.2');
      signIn('ann', '10.0.0.1');
      for (let address = 0; address < 9; address += 1) signIn('bob', `10.0.1.${address}`);
      row('authn_login_success', null, '10.0.0.9');
      row('authn_login_success', 'ann', null);
      row('authn_login_fail', 'ann', '10.0.0.8');
      expect(audit.pastSignIns(3)).toEqual([
        { accountId: 'bob', address: '10.0.1.8' },
        { accountId: 'bob', address: '10.0.1.7' },
        { accountId: 'bob', address: '10.0.1.6' },
        { accountId: 'ann', address: '10.0.0.1' },
        { accountId: 'ann', address: '10.0.0.2' },
      ]);
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
      expect(audit.check().problem).toBeNull();
    });
  });
}
