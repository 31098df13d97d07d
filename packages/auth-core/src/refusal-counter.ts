import type { AuditEvent } from './ports/index.ts';
import { senderOf } from './request-origin.ts';

/** What the audit trail records of a refused request. */
export interface CountedRefusal {
  /** Account id of the authenticated caller, or null for an unauthenticated client. */
  readonly actor: string | null;
  /** The account that an unauthenticated client tried to use. It is stored in the row and does not affect counting. */
  readonly triedAccount?: string | null;
  /** Remote address of the socket. */
  readonly peer: string | null;
  /** Address by which unauthenticated clients are counted; the peer if absent. */
  readonly sender?: string | null | undefined;
  /** The client's address as the proxies report it. It is stored in the row and does not affect counting. */
  readonly address: string | null;
  /** Method and pattern of the route (`GET /svc/api/users/:id`), never the path; null if the event names it. */
  readonly route: string | null;
  /** Target of the row instead of the route. */
  readonly target?: string | null;
  readonly requestId: string | null;
  readonly reason: string | null;
}

/** A row about requests that have no row of their own. */
type CountRow = Pick<AuditEvent, 'event' | 'actor' | 'target' | 'reason'> & { readonly at: number };

interface Count {
  readonly row: Pick<AuditEvent, 'event' | 'actor' | 'target'>;
  more: number;
}

const MINUTE_MS = 60_000;

/**
 * Counts refusals by caller (for unauthenticated clients, by `RequestOrigin.sender`), route, event and minute, so that
 * a flood of bad requests adds few rows to the audit trail. The first refusal of each key has a row of its own, and the
 * others share one when the minute ends. The number of keys is bounded, separately for unauthenticated clients, so that
 * they cannot crowd out callers. Requests beyond the bound are counted in one number.
 */
export class RefusalCounter {
  /** Two rows for each and one for the rest make about 200 rows per minute. */
  static readonly MOST_UNAUTHENTICATED = 100;
  static readonly MOST_OF_CALLERS = 1000;

  readonly #unauthenticated = new Counts(RefusalCounter.MOST_UNAUTHENTICATED, 'refusals of strangers');
  readonly #callers = new Counts(RefusalCounter.MOST_OF_CALLERS, 'refusals of callers');
  #minute = Number.NaN;

  /** @returns whether the refusal gets a row of its own. The rows of the last minute must have been taken. */
  add(event: string, refusal: CountedRefusal, now: number): boolean {
    this.#minute = minuteOf(now);
    const { actor, route, target = null } = refusal;
    const counts = actor === null ? this.#unauthenticated : this.#callers;
    const key = JSON.stringify([event, route, actor ?? senderOf(refusal)]);
    return counts.add(key, { event, actor, target: route ?? (actor === null ? null : target) });
  }

  /** Removes and returns the rows of the last minute or, if `closing`, of the current one. */
  take(now: number, closing: boolean): CountRow[] {
    // Compares for another minute instead of a later one, because the clock may have been set back.
    if (Number.isNaN(this.#minute) || (!closing && minuteOf(now) === this.#minute)) return [];
    const at = Math.min(now, (this.#minute + 1) * MINUTE_MS - 1);
    this.#minute = Number.NaN;
    return [...this.#unauthenticated.take(at), ...this.#callers.take(at)];
  }
}

class Counts {
  readonly #most: number;
  readonly #what: string;
  readonly #counts = new Map<string, Count>();
  #beyond = 0;

  constructor(most: number, what: string) {
    this.#most = most;
    this.#what = what;
  }

  add(key: string, row: Count['row']): boolean {
    const count = this.#counts.get(key);
    if (count !== undefined) count.more += 1;
    else if (this.#counts.size >= this.#most) this.#beyond += 1;
    else this.#counts.set(key, { row, more: 0 });
    return count === undefined && this.#counts.has(key);
  }

  take(at: number): CountRow[] {
    const rows = [...this.#counts.values()]
      .filter(({ more }) => more > 0)
      .map(({ row, more }): CountRow => ({ ...row, at, reason: `${more} more in this minute` }));
    if (this.#beyond > 0) {
      const reason = `${this.#beyond} more ${this.#what} in this minute`;
      rows.push({ event: 'sys_audit_overflow', actor: null, target: null, at, reason });
    }
    this.#counts.clear();
    this.#beyond = 0;
    return rows;
  }
}

function minuteOf(now: number): number {
  return Math.floor(now / MINUTE_MS);
}
