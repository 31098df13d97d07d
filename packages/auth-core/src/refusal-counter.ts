import type { AuditEvent } from './ports/index.ts';
import { senderOf } from './request-origin.ts';

/** Fields of a refused request that the audit trail records. */
export interface CountedRefusal {
  /** Account id of the authenticated caller, or null for an unauthenticated client. */
  readonly actor: string | null;
  /**
   * Id of the account that an unauthenticated client tried to use. It is stored in the row. Refusals with different ids
   * are counted together.
   */
  readonly triedAccount?: string | null;
  /** Remote address of the socket. */
  readonly peer: string | null;
  /** Address by which refusals of an unauthenticated client are counted. If absent, they are counted by `peer`. */
  readonly sender?: string | null | undefined;
  /**
   * Client address that the proxies report. It is stored in the row. Refusals are not counted by it, because a client
   * can invent it.
   */
  readonly address: string | null;
  /**
   * Method and pattern of the route (`GET /svc/api/users/:id`), never the path. Null if the name of the event says
   * which request was refused.
   */
  readonly route: string | null;
  /** Target of the audit row, such as an account id. If absent, the route is the target. */
  readonly target?: string | null;
  readonly requestId: string | null;
  readonly via?: 'mcp' | 'attach' | null;
  readonly reason: string | null;
}

/** An audit row that reports the number of refused requests that have no row of their own. */
type CountRow = Pick<AuditEvent, 'event' | 'actor' | 'target' | 'reason'> & { readonly at: number };

interface Count {
  readonly row: Pick<AuditEvent, 'event' | 'actor' | 'target'>;
  more: number;
}

const MINUTE_MS = 60_000;

/**
 * Counts refusals by caller (for unauthenticated clients, by `RequestOrigin.sender`), route, event and minute, so that
 * a flood of bad requests adds few rows to the audit trail. The first refusal of each combination has a row of its own,
 * and all later ones of the minute share one row. The number of combinations is bounded. Unauthenticated clients have a
 * separate bound, so that they cannot use up the bound of authenticated callers. Requests beyond a bound are counted in
 * one number.
 */
export class RefusalCounter {
  /**
   * Maximum number of counted combinations for unauthenticated clients. Each combination causes at most two rows, so
   * these clients add about 200 rows per minute at most.
   */
  static readonly MOST_UNAUTHENTICATED = 100;
  static readonly MOST_OF_CALLERS = 1000;

  readonly #unauthenticated = new Counts(RefusalCounter.MOST_UNAUTHENTICATED, 'refusals of strangers');
  readonly #callers = new Counts(RefusalCounter.MOST_OF_CALLERS, 'refusals of callers');
  #minute = Number.NaN;

  /**
   * Counts a refusal. Call `take` first, so that the refusal is not counted for the previous minute.
   * @returns whether the refusal gets a row of its own
   */
  add(event: string, refusal: CountedRefusal, now: number): boolean {
    this.#minute = minuteOf(now);
    const { actor, route, target = null } = refusal;
    const counts = actor === null ? this.#unauthenticated : this.#callers;
    const key = JSON.stringify([event, route, actor ?? senderOf(refusal)]);
    return counts.add(key, { event, actor, target: route ?? (actor === null ? null : target) });
  }

  /**
   * Removes and returns the rows about the minute that is being counted, if that minute has ended or `closing` is true.
   * Otherwise returns no rows.
   */
  take(now: number, closing: boolean): CountRow[] {
    // The counted minute has ended if the current minute is another one. `!==` instead of `<` also covers a clock that
    // was set back.
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
