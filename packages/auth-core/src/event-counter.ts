import type { AuditEvent } from './ports/index.ts';
import { type RequestOrigin, senderOf } from './request-origin.ts';

/** Fields of a refused request that the audit trail records. */
export interface CountedRefusal extends RequestOrigin {
  /** Account id of the authenticated caller, or null for an unauthenticated client. */
  readonly actor: string | null;
  /**
   * Id of the account that an unauthenticated client tried to use. It is stored in the row. Refusals with different ids
   * are counted together.
   */
  readonly triedAccount?: string | null;
  /**
   * Method and pattern of the route (`GET /svc/api/users/:id`), never the path. Null if the name of the event says
   * which request was refused.
   */
  readonly route: string | null;
  /** Target of the audit row, such as an account id. If absent, the route is the target. */
  readonly target?: string | null;
  readonly reason: string | null;
}

/** An audit row that reports the number of events that have no row of their own. */
type CountRow = Counted & Pick<AuditEvent, 'outcome' | 'reason'> & { readonly at: number };

type Counted = Pick<AuditEvent, 'event' | 'actor' | 'target'>;

const MINUTE_MS = 60_000;

/**
 * Counts events by minute, so that a client cannot fill the audit trail by repeating a request, and a flood of bad
 * requests adds few rows. The first events of each combination in a minute have rows of their own, and all later ones
 * share one row. Refusals are counted by caller (for unauthenticated clients, by `RequestOrigin.sender`), route and
 * event; other events by account and event. The number of combinations is bounded. Unauthenticated clients have a
 * separate bound, so that they cannot use up the bound of authenticated callers. Refusals beyond a bound are counted in
 * one number, and other events beyond it all get rows.
 */
export class EventCounter {
  /**
   * Maximum number of counted combinations for unauthenticated clients. Each combination causes at most two rows, so
   * these clients add about 200 rows per minute at most.
   */
  static readonly MOST_UNAUTHENTICATED = 100;

  readonly #unauthenticated = new Counts({
    ...{ most: EventCounter.MOST_UNAUTHENTICATED, ownRows: 1, beyond: 'refusals of strangers' },
    outcome: 'failure',
  });
  readonly #callers = new Counts({
    ...{ most: 1000, ownRows: 1, beyond: 'refusals of callers' },
    outcome: 'failure',
  });
  readonly #repeats = new Counts({ most: 10_000, ownRows: 20, beyond: null, outcome: 'success' });
  #minute = Number.NaN;

  /**
   * Counts a refusal. Call `take` first, so that the refusal is not counted for the previous minute.
   * @returns whether the refusal gets a row of its own
   */
  addRefusal(event: string, refusal: CountedRefusal, now: number): boolean {
    this.#minute = minuteOf(now);
    const { actor, route, target = null } = refusal;
    const counts = actor === null ? this.#unauthenticated : this.#callers;
    const key = JSON.stringify([event, route, actor ?? senderOf(refusal)]);
    return counts.add(key, { event, actor, target: route ?? (actor === null ? null : target) });
  }

  /**
   * Counts an event that is no refusal. Call `take` first, as for `addRefusal`.
   * @returns whether the event gets a row of its own
   */
  add(event: string, actor: string | null, now: number): boolean {
    this.#minute = minuteOf(now);
    return this.#repeats.add(`${event} ${actor}`, { event, actor, target: null });
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
    return [this.#unauthenticated, this.#callers, this.#repeats].flatMap((counts) => counts.take(at));
  }
}

interface CountsOptions extends Pick<CountRow, 'outcome'> {
  /** Maximum number of combinations. */
  readonly most: number;
  /** Number of events of a combination that get rows of their own. */
  readonly ownRows: number;
  /** Name of the events beyond `most` that share one row, or null if each of them gets a row. */
  readonly beyond: string | null;
}

class Counts {
  readonly #options: CountsOptions;
  readonly #counts = new Map<string, Counted & { seen: number }>();
  #beyond = 0;

  constructor(options: CountsOptions) {
    this.#options = options;
  }

  add(key: string, counted: Counted): boolean {
    const { most, ownRows, beyond } = this.#options;
    const known = this.#counts.get(key);
    if (known === undefined && this.#counts.size >= most) {
      this.#beyond += 1;
      return beyond === null;
    }
    const count = known ?? { ...counted, seen: 0 };
    this.#counts.set(key, count);
    count.seen += 1;
    return count.seen <= ownRows;
  }

  take(at: number): CountRow[] {
    const { ownRows, beyond, outcome } = this.#options;
    const rows = [...this.#counts.values()]
      .filter(({ seen }) => seen > ownRows)
      .map(({ seen, ...counted }): CountRow => {
        return { ...counted, outcome, at, reason: `${seen - ownRows} more in this minute` };
      });
    if (this.#beyond > 0 && beyond !== null) {
      const reason = `${this.#beyond} more ${beyond} in this minute`;
      rows.push({ event: 'sys_audit_overflow', actor: null, target: null, outcome, at, reason });
    }
    this.#counts.clear();
    this.#beyond = 0;
    return rows;
  }
}

function minuteOf(now: number): number {
  return Math.floor(now / MINUTE_MS);
}
