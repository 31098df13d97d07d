import type { AuditCheck, AuditEntry, AuditFound, AuditRow, AuditSearch, AuditStore } from '@svc/auth-core';
import type { Connection } from '../connection/connection.ts';
import {
  type AuditChain,
  type ChainMark,
  type ChainMarks,
  type ChainWalk,
  headOf,
  type MarkName,
} from './audit-chain.ts';
import { auditStatements } from './audit-statements.ts';

/** Number of audit rows per query when the whole trail is read or checked in one call. */
const BATCH = 1000;
/**
 * Number of audit rows per step when the trail is checked in steps. A step takes about a millisecond, so that the
 * server can handle requests between two steps.
 */
const STEP = 50;
/** Number of the newest sign-ins that `pastSignIns` searches. */
const PAST_SIGN_INS = 50_000;

/** Stores the audit trail. Rows are only appended, and only the oldest are removed (contract 2, `/audit`). */
export class AuditRows implements AuditStore {
  readonly #connection: Connection;
  readonly #statements: ReturnType<typeof auditStatements>;
  readonly #chain: AuditChain;

  constructor(connection: Connection, chain: AuditChain) {
    this.#connection = connection;
    this.#statements = auditStatements(connection);
    this.#chain = chain;
  }

  append(...entries: readonly AuditEntry[]): void {
    // Read the mark of the last row (`head`) from the table, because another process may have appended rows.
    const before = this.#chain.end(this.#mark('head'), this.#statements.last.get({})?.number ?? 0);
    let last = before;
    try {
      for (const entry of entries) {
        const row = this.#chain.after(last, entry);
        this.#statements.append(row);
        last = row;
      }
    } finally {
      if (last !== before) this.#statements.mark({ name: 'head', ...this.#chain.seal('head', last) });
    }
  }

  removeBefore(time: number, most: number): ReturnType<AuditStore['removeBefore']> {
    const oldest = this.#statements.after({ number: 0, limit: most });
    const kept = oldest.findIndex(({ at }) => at >= time);
    const old = kept === -1 ? oldest : oldest.slice(0, kept);
    const last = old.at(-1);
    if (last === undefined) return { count: 0, problem: null };
    const { problem } = this.#chain.walk(old, this.#marks());
    this.#statements.removeTo({ number: last.number });
    this.#statements.mark({ name: 'anchor', ...this.#chain.seal('anchor', last) });
    return { count: old.length, problem };
  }

  has(id: string): boolean {
    return this.#statements.has.get({ id }) !== undefined;
  }

  page(before: string | null, limit: number): AuditRow[] {
    return before === null ? this.#statements.newest({ limit }) : this.#statements.before({ before, limit });
  }

  head(): AuditCheck['head'] {
    return headOf(this.#marks());
  }

  search({ order, filter, before, limit, scan }: AuditSearch): AuditFound {
    const { actor = null, event = null, from = null, to = null } = filter;
    const isRising = order === 'oldest';
    const { found, edge } = isRising ? this.#statements.rising : this.#statements.falling;
    return this.#connection.snapshot(() => {
      const newest = this.#statements.last.get({})?.number ?? 0;
      const { lowest, below } = this.#range(isRising, before, scan, newest);
      const rows = found({ below, lowest, actor, event, from, to, limit });
      const last = (rows.length < limit ? undefined : rows.at(-1)) ?? edge.get({ lowest, below });
      const isEnd =
        last === undefined || (isRising ? this.#numberOf(last.id) === newest : this.#isOldest(last.id));
      return { rows, next: isEnd ? null : last.id };
    });
  }

  /** @returns the numbers of the rows to search: from `lowest` to below `below`. An unknown row is followed by none. */
  #range(isRising: boolean, before: string | null, scan: number, newest: number) {
    if (!isRising) {
      const below = before === null ? newest + 1 : this.#numberOf(before);
      return { lowest: Math.max(1, below - scan), below };
    }
    const lowest =
      before === null
        ? (this.#statements.first.get({})?.number ?? newest + 1)
        : (this.#numberOf(before) || newest) + 1;
    return { lowest, below: Math.min(lowest + scan, newest + 1) };
  }

  *oldestFirst(): Iterable<AuditRow> {
    for (let number = 0; ; ) {
      const rows = this.#statements.after({ number, limit: BATCH });
      for (const { number: _, ...row } of rows) yield row;
      if (rows.length < BATCH) return;
      number = rows.at(-1)?.number ?? number;
    }
  }

  check(): AuditCheck {
    return this.#connection.snapshot(() => {
      for (let walk: ChainWalk | null = null; ; ) {
        const step = this.#checkStep(walk, BATCH);
        if (step.check !== null) return step.check;
        walk = step.walk;
      }
    });
  }

  /**
   * Checks the trail in steps, so that the caller can do other work between them. Each step yields the number of rows
   * read so far. The last step reads the last rows and the marks of the chain's ends in one snapshot. Otherwise, a row
   * that is appended between the two reads would make the check fail.
   */
  *checkInSteps(): Generator<number, AuditCheck, void> {
    let walk: ChainWalk | null = null;
    for (let read = STEP; ; read += STEP) {
      const step = this.#connection.snapshot(() => this.#checkStep(walk, STEP));
      if (step.check !== null) return step.check;
      walk = step.walk;
      yield read;
    }
  }

  pastSignIns(ofEach: number): ReturnType<AuditStore['pastSignIns']> {
    return this.#statements.pastSignIns.all({ ofEach, limit: PAST_SIGN_INS });
  }

  /**
   * Checks the next `limit` rows. Returns null as `check` until the chain ends or breaks.
   * @param so result of the previous step, or null in the first step
   */
  #checkStep(so: ChainWalk | null, limit: number): { walk: ChainWalk; check: AuditCheck | null } {
    const marks = this.#marks();
    const { anchor } = marks;
    const isRemoved = so !== null && anchor !== undefined && anchor.number > so.last.number;
    const start = isRemoved ? anchor : so?.last;
    // In the first step, `start` is undefined, so that a row before the anchor (the last removed row) is found and
    // reported.
    const rows = this.#statements.after({ number: start?.number ?? 0, limit });
    const walk = this.#chain.walk(rows, marks, start);
    if (walk.problem === null && rows.length === limit) return { walk, check: null };
    const sequence = this.#statements.sequence.get({})?.number ?? 0;
    return { walk, check: this.#chain.conclude(walk, marks, sequence) };
  }

  /** @returns the number of the row with this id, or 0 if there is none */
  #numberOf(id: string): number {
    return this.#statements.has.get({ id })?.number ?? 0;
  }

  #isOldest(id: string): boolean {
    return this.#statements.anyBelow.get({ number: this.#numberOf(id) }) === undefined;
  }

  #mark(name: MarkName): ChainMark | undefined {
    return this.#statements.marked.get({ name });
  }

  #marks(): ChainMarks {
    return { head: this.#mark('head'), anchor: this.#mark('anchor'), legacy: this.#mark('legacy') };
  }
}
