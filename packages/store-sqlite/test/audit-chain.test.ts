import type { AuditEntry } from '@svc/auth-core';
import { idOf, sampleEntry } from '@svc/auth-core/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  AuditChain,
  CHAIN_START,
  type ChainMark,
  type ChainMarks,
  legacyHash,
  type NumberedRow,
} from '../src/stores/audit-chain.ts';

const chain = new AuditChain(Buffer.alloc(32, 7));
/** Chain of an attacker who can write to the database but does not have the key. */
const forger = new AuditChain(Buffer.alloc(32, 8));

interface Trail {
  readonly rows: readonly NumberedRow[];
  readonly marks: ChainMarks;
  readonly sequence: number;
}

const EMPTY: Trail = { rows: [], marks: {}, sequence: 0 };

function append({ rows, marks, sequence }: Trail, entry: AuditEntry): Trail {
  const row = chain.after(chain.end(marks.head, rows.at(-1)?.number ?? 0), entry);
  const head = chain.seal('head', row);
  return { rows: [...rows, row], marks: { ...marks, head }, sequence: Math.max(sequence, row.number) };
}

/** Creates a trail of a version without a key, and converts it to the current form. */
function legacyTrail(entries: readonly AuditEntry[]): Trail {
  const rows: NumberedRow[] = [];
  for (const entry of entries) {
    const previousHash = rows.at(-1)?.hash ?? CHAIN_START;
    const hash = legacyHash(previousHash, entry);
    rows.push({ ...entry, peer: null, number: rows.length + 1, previousHash, hash });
  }
  const last = rows.at(-1);
  if (last === undefined) return EMPTY;
  const marks = { legacy: chain.seal('legacy', last), head: chain.seal('head', last) };
  return { rows, marks, sequence: last.number };
}

function withoutOldest({ rows, marks, sequence }: Trail, count: number): Trail {
  const last = rows[count - 1];
  if (last === undefined) return { rows, marks, sequence };
  return { rows: rows.slice(count), marks: { ...marks, anchor: chain.seal('anchor', last) }, sequence };
}

const problemOf = ({ rows, marks, sequence }: Trail) => chain.check(rows, marks, sequence).problem;

const text = fc.option(fc.string({ maxLength: 5 }), { nil: null });
const anyEntry = fc.record({
  event: fc.constantFrom('authn_login_success', 'authz_fail', 'user_created'),
  outcome: fc.constantFrom('success' as const, 'failure' as const),
  at: fc.nat(),
  actor: text,
  target: text,
  address: text,
  peer: text,
  requestId: text,
  reason: text,
});

/** Generates a trail of at least `least` rows, with or without legacy rows, and with or without removed rows. */
const anyTrail = (least: number) =>
  fc
    .record({
      old: fc.array(anyEntry, { maxLength: 3 }),
      entries: fc.array(anyEntry, { minLength: least, maxLength: 8 }),
      removed: fc.nat(4),
    })
    .map(({ old, entries, removed }): Trail => {
      const numbered = [...old, ...entries].map((entry, index) => ({ ...entry, id: idOf(`row ${index}`) }));
      const begun = legacyTrail(numbered.slice(0, old.length));
      const whole = numbered.slice(old.length).reduce(append, begun);
      return withoutOldest(whole, Math.min(removed, whole.rows.length - least));
    });

describe('the chain of the audit trail (contract 2, /audit)', () => {
  it('the chain of the audit trail holds, with rows from before the key or not, with retention or not (contract 2, /audit)', () => {
    fc.assert(fc.property(anyTrail(0), (trail) => problemOf(trail) === null));
    expect(chain.check([], {}, 0)).toEqual({
      head: { count: 0, hash: CHAIN_START },
      removed: 0,
      unkeyed: 0,
      problem: null,
    });
  });

  it('the chain of the audit trail shows every change of a row, its place included (contract 2, /audit)', () => {
    const anyChange = fc.constantFrom<(row: NumberedRow) => NumberedRow>(
      (row) => ({ ...row, id: idOf('other') }),
      (row) => ({ ...row, at: row.at + 1 }),
      (row) => ({ ...row, event: `${row.event}x` }),
      (row) => ({ ...row, outcome: row.outcome === 'success' ? 'failure' : 'success' }),
      (row) => ({ ...row, actor: `${row.actor ?? ''}x` }),
      (row) => ({ ...row, target: row.target === null ? '' : null }),
      (row) => ({ ...row, address: `${row.address ?? ''}x` }),
      (row) => ({ ...row, peer: `${row.peer ?? ''}x` }),
      (row) => ({ ...row, requestId: `${row.requestId ?? ''}x` }),
      (row) => ({ ...row, reason: row.reason === null ? 'null' : null }),
      (row) => ({ ...row, hash: CHAIN_START.replace('0', '1') }),
      (row) => ({ ...row, previousHash: CHAIN_START.replace('0', '1') }),
      (row) => ({ ...row, hash: forger.hash(row.previousHash, row) }),
      (row) => ({ ...row, number: row.number + 1 }),
    );
    fc.assert(
      fc.property(anyTrail(1), fc.nat(), anyChange, (trail, at, change) => {
        const index = at % trail.rows.length;
        const rows = trail.rows.map((row, each) => (each === index ? change(row) : row));
        // The hash of a legacy row does not include the row's number, so a change of only the number need not be
        // detected.
        fc.pre(rows[index]?.hash !== trail.rows[index]?.hash || isCovered(trail, index, rows[index]));
        expect(problemOf({ ...trail, rows })).not.toBeNull();
      }),
      { numRuns: 1000 },
    );
  });

  it('the chain of the audit trail shows every removal, at the start, in the middle and at the end (contract 2, /audit)', () => {
    fc.assert(
      fc.property(anyTrail(1), fc.nat(), fc.integer({ min: 1, max: 4 }), (trail, at, count) => {
        const index = at % trail.rows.length;
        const rows = trail.rows.filter((_, each) => each < index || each >= index + count);
        expect(problemOf({ ...trail, rows })).not.toBeNull();
        expect(problemOf({ ...trail, rows, sequence: rows.at(-1)?.number ?? 0 })).not.toBeNull();
      }),
      { numRuns: 500 },
    );
  });

  it('the chain of the audit trail shows every other order and every row twice (contract 2, /audit)', () => {
    fc.assert(
      fc.property(anyTrail(2), fc.nat(), fc.nat(), (trail, one, other) => {
        const [a, b] = [one % trail.rows.length, other % trail.rows.length];
        fc.pre(a !== b);
        const swapped = trail.rows.map((row, index) => {
          const from = trail.rows[index === a ? b : index === b ? a : index] as NumberedRow;
          return { ...from, number: row.number };
        });
        expect(problemOf({ ...trail, rows: swapped })).not.toBeNull();
        const doubled = [...trail.rows, { ...(trail.rows[a] as NumberedRow), number: trail.sequence + 1 }];
        expect(problemOf({ ...trail, rows: doubled })).not.toBeNull();
      }),
    );
  });

  it('the chain of the audit trail shows a chain that somebody without the key wrote anew, whatever marks they put beside it (contract 2, /audit)', () => {
    const anyMarks = fc.constantFrom<(trail: Trail, last: NumberedRow) => ChainMarks>(
      ({ marks }) => marks,
      () => ({}),
      (_, last) => ({ head: forger.seal('head', last) }),
      ({ marks }, last) => ({ head: marks.head, legacy: forger.seal('legacy', last) }),
      // The attacker uses the valid mark `head` as the mark `legacy`.
      ({ marks }, last) => ({
        head: marks.head,
        legacy: { ...(marks.head as ChainMark), number: last.number },
      }),
      (_, last) => ({ head: forger.seal('head', last), legacy: forger.seal('legacy', last) }),
    );
    fc.assert(
      fc.property(anyTrail(1), anyMarks, fc.boolean(), (trail, marksOf, isLegacy) => {
        let previousHash = CHAIN_START;
        const rows = trail.rows.map((row, index): NumberedRow => {
          const said = { ...row, reason: 'nothing happened', peer: null, number: index + 1, previousHash };
          const hash = isLegacy ? legacyHash(previousHash, said) : forger.hash(previousHash, said);
          previousHash = hash;
          return { ...said, hash };
        });
        const marks = marksOf(trail, rows.at(-1) as NumberedRow);
        expect(problemOf({ rows, marks, sequence: rows.length })).not.toBeNull();
      }),
    );
  });

  it('the chain of the audit trail shows an end that was cut off also when a mark is taken away, and after rows were added (contract 2, /audit)', () => {
    fc.assert(
      fc.property(anyTrail(2), fc.integer({ min: 1, max: 3 }), (trail, count) => {
        const rows = trail.rows.slice(0, Math.max(1, trail.rows.length - count));
        const sequence = rows.at(-1)?.number ?? 0;
        for (const marks of [trail.marks, { ...trail.marks, head: undefined }]) {
          const cut: Trail = { rows, marks, sequence };
          expect(problemOf(cut)).not.toBeNull();
          const on = append(append(cut, sampleEntry('later')), sampleEntry('latest'));
          expect(problemOf(on)).not.toBeNull();
        }
      }),
    );
  });

  it('an older head put back shows as soon as it is read', () => {
    const entries = ['a', 'b', 'c', 'd'].map((name) => sampleEntry(name));
    const early = entries.slice(0, 2).reduce(append, EMPTY);
    const late = entries.slice(2).reduce(append, early);
    const marks = { ...late.marks, head: early.marks.head };
    expect(problemOf({ ...late, marks })).toContain('the end of the chain is missing');
    const on = append({ ...late, marks }, sampleEntry('e'));
    expect(on.rows.at(-1)?.number).toBe(5);
    expect(problemOf(on)).toContain(`row ${idOf('e')} does not follow`);
    // An older copy of the whole database is not detected here. Only a head that is stored elsewhere shows it.
    expect(problemOf(early)).toBeNull();
    expect(early.marks.head).not.toEqual(late.marks.head);
  });

  it('the chain of the audit trail says how many rows were removed, and how many were written without a key (contract 2, /audit)', () => {
    const old = legacyTrail(['a', 'b', 'c'].map((name) => sampleEntry(name)));
    const trail = append(old, sampleEntry('d'));
    const head = { count: 4, hash: trail.rows.at(-1)?.hash };
    const facts = ({ rows, marks, sequence }: Trail) => chain.check(rows, marks, sequence);
    expect(facts(trail)).toEqual({ head, removed: 0, unkeyed: 3, problem: null });
    expect(facts(withoutOldest(trail, 2))).toEqual({ head, removed: 2, unkeyed: 1, problem: null });
    expect(facts(withoutOldest(trail, 4))).toEqual({ head, removed: 4, unkeyed: 0, problem: null });
  });
});

/** @returns whether the hash of the row covers the change, unless the change replaced the hash itself */
function isCovered({ rows, marks }: Trail, index: number, changed: NumberedRow | undefined): boolean {
  const row = rows[index] as NumberedRow;
  const isLegacy = row.number <= (marks.legacy?.number ?? 0);
  const { number, ...rest } = changed as NumberedRow;
  const { number: before, ...as } = row;
  return !isLegacy || number === before || JSON.stringify(rest) !== JSON.stringify(as);
}
