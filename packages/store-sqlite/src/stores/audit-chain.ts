import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { AuditCheck, AuditEntry, AuditRow } from '@svc/auth-core';

/** Value of `previousHash` in the first row of the chain. */
export const CHAIN_START = '0'.repeat(64);

/**
 * A row with its number in the chain. Numbers begin at 1. Gaps between numbers are possible only among rows
 * that were written by an old version of svc, which had no chain key.
 */
export type NumberedRow = AuditRow & { readonly number: number };

/**
 * Marks that are stored beside the rows of the chain: `head` for the last row, `anchor` for the last row that was
 * removed because of its age, and `legacy` for the last row that a version without a chain key wrote. A mark is absent
 * if there is no such row.
 */
export type ChainMarks = { readonly [name in MarkName]?: ChainMark | undefined };
export type MarkName = 'head' | 'anchor' | 'legacy';

/**
 * Result of checking rows one after the other: `last` is the last row before the first problem, and `problem` describes
 * this problem. If there is none, `last` is the last row of all, and `problem` is null.
 */
export interface ChainWalk {
  readonly last: Pick<ChainMark, 'number' | 'hash'>;
  readonly problem: string | null;
}

/**
 * Number and hash of one row. Only a server with the chain's key can compute `seal`, which proves that the mark was not
 * forged.
 */
export interface ChainMark {
  readonly number: number;
  readonly hash: string;
  readonly seal: string;
}

/**
 * Computes and checks the hashes of the audit trail (contract 2). Each hash covers its row and the previous hash, so
 * that a changed or removed row is detected. Each hash needs a secret key, so that a chain cannot be forged without the
 * key. A sealed mark of the last row shows when the end of the trail is missing. The chain does not detect a forger who
 * has the key, or a database that was replaced by an older copy of itself. To detect these, compare the trail with a
 * head that was stored elsewhere.
 */
export class AuditChain {
  readonly #key: Uint8Array;

  constructor(key: Uint8Array) {
    this.#key = key;
  }

  /**
   * Returns number and hash of the last row, from which the next row continues.
   * @param lastNumber highest number among the rows, or 0 if there are no rows
   */
  end(head: ChainMark | undefined, lastNumber: number): ChainWalk['last'] {
    // If the head is missing or has a wrong seal, its hash cannot be trusted. The next row then starts a new chain, and
    // `check` reports the break.
    if (head === undefined || !this.isSealed('head', head)) return { number: lastNumber, hash: CHAIN_START };
    return { number: Math.max(head.number, lastNumber), hash: head.hash };
  }

  after(last: ChainWalk['last'], entry: AuditEntry): NumberedRow {
    const kept = keptEntry(entry);
    const hash = this.hash(last.hash, kept);
    return { ...kept, number: last.number + 1, previousHash: last.hash, hash };
  }

  hash(previousHash: string, entry: AuditEntry): string {
    const { id, at, event, outcome, actor, target, address, peer, requestId, reason, via } = entry;
    const row = [previousHash, id, at, event, outcome, actor, target, address, peer, requestId, reason];
    // Older rows have no `via`, and their hashes were computed without this field. Leave out an absent `via`, so that
    // these hashes stay correct.
    return this.#sign('row', via == null ? row : [...row, via]);
  }

  seal(name: MarkName, { number, hash }: Pick<ChainMark, 'number' | 'hash'>): ChainMark {
    return { number, hash, seal: this.#sign(name, [number, hash]) };
  }

  isSealed(name: MarkName, mark: ChainMark): boolean {
    return sameText(mark.seal, this.seal(name, mark).seal);
  }

  /** @returns whether the row's own hash is correct and its previous hash is `previousHash` */
  follows(row: NumberedRow, previousHash: string, { legacy }: ChainMarks): boolean {
    const isLegacy = row.number <= (legacy?.number ?? 0);
    // Versions without a chain key stored no peer address and computed the hash with `legacyHash`.
    const hash = isLegacy && row.peer === null ? legacyHash(previousHash, row) : this.hash(previousHash, row);
    if (legacy?.number === row.number && legacy.hash !== row.hash) return false;
    return row.previousHash === previousHash && sameText(row.hash, hash);
  }

  /**
   * Checks the whole chain.
   * @param rows all rows in the order of their numbers
   * @param sequence highest number that the database has ever assigned
   */
  check(rows: Iterable<NumberedRow>, marks: ChainMarks, sequence: number): AuditCheck {
    return this.conclude(this.walk(rows, marks), marks, sequence);
  }

  /**
   * Creates the result for the whole chain from the result of `walk` and from the stored marks.
   * @param walk result of a walk that reached the last row
   * @param marks marks that were stored when the last row was read
   */
  conclude({ last, problem }: ChainWalk, marks: ChainMarks, sequence: number): AuditCheck {
    const removed = marks.anchor?.number ?? 0;
    return {
      head: headOf(marks),
      removed,
      unkeyed: Math.max(0, (marks.legacy?.number ?? 0) - removed),
      problem: this.#unsealed(marks) ?? problem ?? problemAtEnd(last, marks, sequence),
    };
  }

  /**
   * Follows rows in the order of their numbers and stops at the first row that does not fit. The walk starts after the
   * `anchor` mark, or at the first row if there is no such mark.
   */
  walk(
    rows: Iterable<NumberedRow>,
    marks: ChainMarks,
    start: ChainWalk['last'] = marks.anchor ?? { number: 0, hash: CHAIN_START },
  ): ChainWalk {
    let last = start;
    for (const row of rows) {
      // Allow gaps in the numbers of rows that versions without a chain key wrote. If one of these rows is missing, the
      // check of the hashes detects it.
      const isNext = row.number === last.number + 1 || row.number <= (marks.legacy?.number ?? 0);
      if (!isNext) return { last, problem: `rows are missing before row ${row.id}` };
      if (!this.follows(row, last.hash, marks))
        return { last, problem: `row ${row.id} does not follow from the one before` };
      last = row;
    }
    return { last, problem: null };
  }

  #unsealed(marks: ChainMarks): string | null {
    for (const [name, mark] of Object.entries(marks))
      if (mark !== undefined && !this.isSealed(name as MarkName, mark))
        return `the mark "${name}" of the chain was not made with its key`;
    return null;
  }

  #sign(purpose: string, fields: readonly unknown[]): string {
    return createHmac('sha256', this.#key)
      .update(JSON.stringify([purpose, ...fields]))
      .digest('hex');
  }
}

function problemAtEnd(
  last: Pick<ChainMark, 'number' | 'hash'>,
  { head }: ChainMarks,
  sequence: number,
): string | null {
  if (head === undefined && last.number > 0) return 'the mark "head" of the chain is missing';
  if (head !== undefined && (head.number !== last.number || head.hash !== last.hash))
    return `the end of the chain is missing: ${head.number} rows were written, the last one here is ${last.number}`;
  if (sequence !== last.number)
    return `the end of the chain is missing: the database numbered ${sequence} rows, the last one here is ${last.number}`;
  return null;
}

export function headOf({ head }: ChainMarks): AuditCheck['head'] {
  return { count: head?.number ?? 0, hash: head?.hash ?? CHAIN_START };
}

/** @returns the hash that a version without a chain key computed for the row */
export function legacyHash(previousHash: string, entry: AuditEntry): string {
  const { id, at, event, outcome, actor, target, address, requestId, reason } = entry;
  const row = [previousHash, id, at, event, outcome, actor, target, address, requestId, reason];
  return createHash('sha256').update(JSON.stringify(row)).digest('hex');
}

/**
 * Replaces unpaired surrogates (halves of a UTF-16 pair) in the texts of a row. The database stores UTF-8, which cannot
 * contain them, so the stored text would differ from the hashed text. Anyone who can put text into a row could then
 * make the chain look broken.
 */
function keptEntry(entry: AuditEntry): AuditEntry {
  return {
    id: wellFormed(entry.id),
    at: entry.at,
    event: wellFormed(entry.event),
    outcome: entry.outcome,
    actor: entry.actor && wellFormed(entry.actor),
    target: entry.target && wellFormed(entry.target),
    address: entry.address && wellFormed(entry.address),
    peer: entry.peer && wellFormed(entry.peer),
    requestId: entry.requestId && wellFormed(entry.requestId),
    reason: entry.reason && wellFormed(entry.reason),
    via: entry.via == null ? null : wellFormed(entry.via),
  };
}

function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\u{fffd}');
}

function sameText(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
