import type { AuditEvent } from './ports/index.ts';
import { senderOf } from './request-origin.ts';

/** A refused request, as the audit trail counts it. */
export interface CountedRefusal {
  /** Account id of a caller whose credential was proven; null: a stranger. */
  readonly actor: string | null;
  /** The account a stranger tried to be. It goes into the row and is not counted by. */
  readonly triedAccount?: string | null;
  /** The socket's own address. */
  readonly peer: string | null;
  /** Strangers are counted by it; absent: by the peer. */
  readonly sender?: string | null | undefined;
  /** As the proxies claim it. It goes into the row and is not counted by. */
  readonly address: string | null;
  /** Method and pattern of the route (`GET /svc/api/users/:id`), never the path itself; null: the event says it. */
  readonly route: string | null;
  /** What the row names instead of the route. */
  readonly target?: string | null;
  readonly requestId: string | null;
  readonly reason: string | null;
}

/** A row about requests that have none of their own. */
type CountRow = Pick<AuditEvent, 'event' | 'actor' | 'target' | 'reason'> & { readonly at: number };

interface Count {
  readonly row: Pick<AuditEvent, 'event' | 'actor' | 'target'>;
  more: number;
}

const MINUTE_MS = 60_000;

/**
 * Counts refusals by caller (a stranger's address, `RequestOrigin.sender`), route, event and minute, so that a flood of bad requests
 * adds a handful of rows to the audit trail: the first of each has a row of its own, the rest become one when the
 * minute ends. Keys are bounded, those of strangers on their own, so that they crowd out no caller's; requests beyond
 * are one number.
 */
export class RefusalCounter {
  /** Two rows for each and one for all beyond: about 200 a minute. */
  static readonly MOST_OF_STRANGERS = 100;
  static readonly MOST_OF_CALLERS = 1000;

  readonly #strangers = new Counts(RefusalCounter.MOST_OF_STRANGERS, 'refusals of strangers');
  readonly #callers = new Counts(RefusalCounter.MOST_OF_CALLERS, 'refusals of callers');
  #minute = Number.NaN;

  /** True when the refusal gets a row of its own. The minute before must have been taken. */
  add(event: string, refusal: CountedRefusal, now: number): boolean {
    this.#minute = minuteOf(now);
    const { actor, route, target = null } = refusal;
    const counts = actor === null ? this.#strangers : this.#callers;
    const key = JSON.stringify([event, route, actor ?? senderOf(refusal)]);
    return counts.add(key, { event, actor, target: route ?? (actor === null ? null : target) });
  }

  /** The rows of a minute that is over (or of this one, when `closing`); they are no longer counted then. */
  take(now: number, closing: boolean): CountRow[] {
    // Another minute, not a later one: the clock may have been set back.
    if (Number.isNaN(this.#minute) || (!closing && minuteOf(now) === this.#minute)) return [];
    const at = Math.min(now, (this.#minute + 1) * MINUTE_MS - 1);
    this.#minute = Number.NaN;
    return [...this.#strangers.take(at), ...this.#callers.take(at)];
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
