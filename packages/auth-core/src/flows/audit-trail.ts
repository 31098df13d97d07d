import { ADMIN } from '@svc/contract';
import type { Audit } from '../audit.ts';
import { Refusal } from '../errors.ts';
import { checkAccess } from '../policy/access.ts';
import type { AuditRow, Clock, Stores } from '../ports/index.ts';
import type { Caller } from '../principal.ts';

const DEFAULT_PAGE = 100;
const LARGEST_PAGE = 500;
const DAY_MS = 24 * 60 * 60 * 1000;
/** Removed in one transaction: everybody waits for it. */
const REMOVED_AT_ONCE = 2000;

interface Tools {
  readonly stores: Pick<Stores, 'audit' | 'accounts' | 'transaction'>;
  readonly clock: Clock;
  readonly audit: Audit;
  /** Writes the rows that wait. Does not throw. */
  readonly flush: () => void;
}

/** A row as it is shown. `actorEmail`: as it is now; null: nobody known, or an account that was deleted. */
export type ShownAuditRow = AuditRow & { readonly actorEmail: string | null };

/** Reads the audit trail for Admins, and lets go of its oldest rows (contract 2, `/audit`). */
export class AuditTrail {
  readonly #tools: Tools;
  readonly #retentionDays: () => number;

  constructor(tools: Tools, { retentionDays }: { retentionDays: () => number }) {
    this.#tools = tools;
    this.#retentionDays = retentionDays;
  }

  /** Newest first. `before`: id of a row; only what was written before it. `next`: the `before` of the next page. */
  page(
    caller: Caller,
    { before = null, limit = DEFAULT_PAGE }: { before?: string | null; limit?: number },
  ): { items: ShownAuditRow[]; next: string | null } {
    checkAccess(caller, ADMIN);
    const { stores, flush } = this.#tools;
    flush();
    if (before !== null && !stores.audit.has(before))
      throw new Refusal('bad_request', 'no such row', { message: 'before: is no row of the audit trail' });
    const size = Math.min(LARGEST_PAGE, limit);
    const rows = stores.audit.page(before, size);
    const items = rows.map((row) => ({ ...row, actorEmail: this.#emailOf(row.actor) }));
    return { items, next: rows.length < size ? null : (rows.at(-1)?.id ?? null) };
  }

  /**
   * Removes rows older than the retention, the oldest first, and leaves a row about it; true: there are more. A row
   * that did not fit is named in it, since it is gone then.
   */
  removeOld(): boolean {
    const { stores, clock, audit } = this.#tools;
    const time = clock.now() - this.#retentionDays() * DAY_MS;
    return stores.transaction((tx) => {
      const { count, problem } = tx.audit.removeBefore(time, REMOVED_AT_ONCE);
      if (count === 0) return false;
      const what = `${count} rows from before ${new Date(time).toISOString()} removed`;
      audit.record(tx, 'sys_audit_retention', {
        outcome: problem === null ? 'success' : 'failure',
        reason: problem === null ? what : `${what}; ${problem}`,
      });
      return count === REMOVED_AT_ONCE;
    });
  }

  #emailOf(actor: string | null): string | null {
    return actor === null ? null : (this.#tools.stores.accounts.byId(actor)?.email ?? null);
  }
}
