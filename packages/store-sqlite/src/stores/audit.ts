import {
  type AuditChain,
  type AuditCheck,
  type AuditEntry,
  type AuditHead,
  type AuditRow,
  type AuditStore,
  type ChainMark,
  type ChainMarks,
  headOf,
  type MarkName,
  type NumberedRow,
  type PastSignIn,
  type RemovedRows,
} from '@svc/auth-core';
import type { Connection } from '../connection/connection.ts';
import { auditStatements } from './audit-statements.ts';

/** Rows read at once where all are. */
const BATCH = 1000;
/** Sign-ins looked at, newest first, for where accounts signed in from. */
const PAST_SIGN_INS = 50_000;

/** The audit trail: rows are appended, and the oldest removed, nothing else (contract 2, `/audit`). */
export class AuditRows implements AuditStore {
  readonly #connection: Connection;
  readonly #statements: ReturnType<typeof auditStatements>;
  readonly #chain: AuditChain;

  constructor(connection: Connection, chain: AuditChain) {
    this.#connection = connection;
    this.#statements = auditStatements(connection);
    this.#chain = chain;
  }

  append(entry: AuditEntry): void {
    // Read under the write lock: another process may have appended.
    const last = this.#statements.last.get({});
    const { row, head } = this.#chain.next(entry, this.#mark('head'), last?.number ?? 0);
    this.#statements.append.run(row);
    this.#statements.mark.run({ name: 'head', ...head });
  }

  removeBefore(time: number, most: number): RemovedRows {
    const oldest = this.#statements.after.all({ number: 0, limit: most });
    const kept = oldest.findIndex(({ at }) => at >= time);
    const old = kept === -1 ? oldest : oldest.slice(0, kept);
    const last = old.at(-1);
    if (last === undefined) return { count: 0, problem: null };
    const { problem } = this.#chain.walk(old, this.#marks());
    this.#statements.removeTo.run({ number: last.number });
    this.#statements.mark.run({ name: 'anchor', ...this.#chain.seal('anchor', last) });
    return { count: old.length, problem };
  }

  has(id: string): boolean {
    return this.#statements.has.get({ id }) !== undefined;
  }

  page(before: string | null, limit: number): AuditRow[] {
    return before === null
      ? this.#statements.newest.all({ limit })
      : this.#statements.before.all({ before, limit });
  }

  head(): AuditHead {
    return headOf(this.#marks());
  }

  check(): AuditCheck {
    return this.#connection.snapshot(() => {
      const sequence = this.#statements.sequence.get({})?.number ?? 0;
      return this.#chain.check(this.#oldestFirst(), this.#marks(), sequence);
    });
  }

  pastSignIns(ofEach: number): PastSignIn[] {
    return this.#statements.pastSignIns.all({ ofEach, limit: PAST_SIGN_INS });
  }

  *#oldestFirst(): Iterable<NumberedRow> {
    for (let number = 0; ; ) {
      const rows = this.#statements.after.all({ number, limit: BATCH });
      yield* rows;
      const last = rows.at(-1);
      if (last === undefined) return;
      number = last.number;
    }
  }

  #mark(name: MarkName): ChainMark | undefined {
    return this.#statements.marked.get({ name });
  }

  #marks(): ChainMarks {
    return { head: this.#mark('head'), anchor: this.#mark('anchor'), legacy: this.#mark('legacy') };
  }
}
