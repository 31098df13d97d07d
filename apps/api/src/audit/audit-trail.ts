import {
  type Audit,
  type AuditCheck,
  type AuditFound,
  type AuditRow,
  type AuditSearch,
  actorOf,
  type Caller,
  type Clock,
  checkAccess,
  Refusal,
  type Stores,
} from '@svc/auth-core';
import { ADMIN } from '@svc/contract';
import { instantOf } from '@svc/module';

const DEFAULT_PAGE = 100;
const LARGEST_PAGE = 500;
/** Maximum number of rows read in one step. A step takes a few milliseconds and blocks all other requests. */
const SCANNED_AT_ONCE = 10_000;
/** The same for one step of an export, which other requests wait for again and again. */
const EXPORTED_AT_ONCE = { limit: 50, scan: 1_000 };
const DAY_MS = 24 * 60 * 60 * 1000;
/** Maximum number of rows removed in one transaction, because every other request waits for it. */
const REMOVED_AT_ONCE = 2000;

interface Tools {
  readonly stores: Pick<Stores, 'audit' | 'accounts' | 'transaction'>;
  readonly clock: Clock;
  readonly audit: Audit;
  /** Writes the audit rows that wait in memory, so that a query finds them. Does not throw. */
  readonly flush: () => void;
}

/** An audit row with the current e-mail address of its actor, or null if the actor is unknown or was deleted. */
export type ShownAuditRow = AuditRow & { readonly actorEmail: string | null };

/** Filter that a client sent. A row is found if it matches every field that is present. */
export interface AuditQuery {
  /** Account id or e-mail address of the actor. */
  readonly actor?: string | undefined;
  readonly event?: string | undefined;
  /** Earliest time of the rows (ISO 8601), inclusive. */
  readonly from?: string | undefined;
  /** Latest time of the rows (ISO 8601), exclusive. */
  readonly to?: string | undefined;
}

interface AuditPage extends AuditQuery {
  readonly order?: 'newest' | 'oldest' | undefined;
  readonly before?: string | undefined;
  readonly limit?: number | undefined;
}

/** Reads the audit trail for Admins, and removes its oldest rows (contract 2, `/audit`). */
export class AuditTrail {
  readonly #tools: Tools;
  readonly #retentionDays: () => number;

  constructor(tools: Tools, { retentionDays }: { retentionDays: () => number }) {
    this.#tools = tools;
    this.#retentionDays = retentionDays;
  }

  /**
   * Returns rows, newest first unless `order` says otherwise. `before` is the id of a row and selects the rows that
   * follow it in this order. `next` is the
   * `before` of the next page. Each page reads a limited number of rows, so a page may have fewer rows than `limit`, or
   * none, although `next` shows that there are more.
   */
  page(
    caller: Caller,
    { order, before, limit = DEFAULT_PAGE, ...query }: AuditPage,
  ): { items: ShownAuditRow[]; next: string | null } {
    checkAccess(caller, ADMIN);
    const { stores, flush } = this.#tools;
    const filter = this.#filterOf(query);
    flush();
    if (before !== undefined && !stores.audit.has(before))
      throw new Refusal('bad_request', 'no such row', { message: 'before: is not a row of the audit trail' });
    const found = stores.audit.search({
      filter,
      order,
      before: before ?? null,
      limit: Math.min(LARGEST_PAGE, limit),
      scan: SCANNED_AT_ONCE,
    });
    return { items: this.#shown(found), next: found.next };
  }

  /**
   * Returns all rows of a query, newest first, in steps of a few milliseconds. Before each further step, the caller of
   * this method has to check again that `caller` is still allowed to read the trail.
   */
  export(caller: Caller, query: AuditQuery, format: string): Iterable<readonly ShownAuditRow[]> {
    checkAccess(caller, ADMIN);
    const filter = this.#filterOf(query);
    const { audit, flush } = this.#tools;
    audit.recordBestEffort('sensitive_read', {
      ...actorOf(caller),
      target: 'audit trail',
      reason: `exported as ${format}`,
    });
    flush();
    return this.#steps(filter);
  }

  /**
   * Checks the hashes of the whole audit trail, in steps of a few milliseconds, so that other requests can run in
   * between.
   */
  verify(caller: Caller): Generator<number, AuditCheck, void> {
    checkAccess(caller, ADMIN);
    this.#tools.flush();
    return this.#tools.stores.audit.checkInSteps();
  }

  /**
   * Removes rows that are older than the retention time, oldest first, and adds a row about the removal. If the hash of
   * a removed row was wrong, or a row before it was missing, the new row reports the first such problem.
   *
   * @returns whether more rows may have to be removed, in which case this method must be called again
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

  *#steps(filter: AuditSearch['filter']): Iterable<readonly ShownAuditRow[]> {
    for (let before: string | null = null; ; ) {
      const found: AuditFound = this.#tools.stores.audit.search({ filter, before, ...EXPORTED_AT_ONCE });
      yield this.#shown(found);
      if (found.next === null) return;
      before = found.next;
    }
  }

  #filterOf({ actor, event, from, to }: AuditQuery): AuditSearch['filter'] {
    const account = actor === undefined ? undefined : this.#tools.stores.accounts.byEmail(actor);
    return {
      actor: account?.id ?? actor,
      event,
      from: from === undefined ? undefined : instantOf('from', from),
      to: to === undefined ? undefined : instantOf('to', to),
    };
  }

  #shown({ rows }: AuditFound): ShownAuditRow[] {
    return rows.map((row) => ({ ...row, actorEmail: this.#emailOf(row.actor) }));
  }

  #emailOf(actor: string | null): string | null {
    return actor === null ? null : (this.#tools.stores.accounts.byId(actor)?.email ?? null);
  }
}
