import type { AuditEvent } from './ports/index.ts';

/** An audit row that reports the number of events that have no row of their own. */
type CountRow = Pick<AuditEvent, 'event' | 'actor' | 'reason'> & { readonly at: number };

interface Count {
  readonly event: string;
  readonly actor: string | null;
  seen: number;
}

const MINUTE_MS = 60_000;
/** Number of rows that an account gets for one event in a minute. One further row counts all others. */
const OWN_ROWS = 20;
/** Maximum number of counted pairs of account and event. Events of further pairs all get rows. */
const MOST = 10_000;

/** Counts events by account, event and minute, so that a client cannot fill the audit trail by repeating a request. */
export class RepeatCounter {
  readonly #counts = new Map<string, Count>();
  #minute = Number.NaN;

  /**
   * Counts an event. Call `take` first, so that the event is not counted for the previous minute.
   * @returns whether the event gets a row of its own
   */
  add(event: string, actor: string | null, now: number): boolean {
    this.#minute = minuteOf(now);
    const key = `${event} ${actor}`;
    const count = this.#counts.get(key) ?? { event, actor, seen: 0 };
    if (count.seen === 0 && this.#counts.size >= MOST) return true;
    this.#counts.set(key, count);
    count.seen += 1;
    return count.seen <= OWN_ROWS;
  }

  /**
   * Removes and returns the rows about the minute that is being counted, if that minute has ended or `closing` is true.
   * Otherwise returns no rows.
   */
  take(now: number, closing: boolean): CountRow[] {
    // `!==` instead of `<` also covers a clock that was set back.
    if (Number.isNaN(this.#minute) || (!closing && minuteOf(now) === this.#minute)) return [];
    const at = Math.min(now, (this.#minute + 1) * MINUTE_MS - 1);
    this.#minute = Number.NaN;
    const rows = [...this.#counts.values()]
      .filter(({ seen }) => seen > OWN_ROWS)
      .map(({ event, actor, seen }) => ({
        event,
        actor,
        at,
        reason: `${seen - OWN_ROWS} more in this minute`,
      }));
    this.#counts.clear();
    return rows;
  }
}

function minuteOf(now: number): number {
  return Math.floor(now / MINUTE_MS);
}
