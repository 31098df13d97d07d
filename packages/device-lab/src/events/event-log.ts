import { type Caller, type Clock, type Log, Refusal } from '@svc/auth-core';
import { maySeeEvent } from '../visibility/see-event.ts';

/** A live event in the form in which it is stored. `payload` is JSON text. */
export interface LoggedEvent {
  readonly id: string;
  /** Time of the event in ms since 1970. */
  readonly at: number;
  readonly type: string;
  readonly payload: string;
}

/**
 * Stores the event log. The methods are synchronous, because the database is SQLite in the same process. Every method
 * throws `Unavailable` if the database cannot be read or written.
 */
export interface EventLogStore {
  /** Adds events, either all or none, and then removes all but the newest `most` events. */
  append(events: readonly LoggedEvent[], most: number): void;
  has(id: string): boolean;
  /**
   * @returns events that are older than the event with the id `before`, or the newest events if `before` is null;
   * newest first
   */
  page(before: string | null, limit: number): LoggedEvent[];
  /**
   * Removes the oldest events that happened before `at` (ms since 1970), at most `most` of them.
   * @returns the number of removed events
   */
  removeBefore(at: number, most: number): number;
}

interface EventLogOptions {
  readonly store: EventLogStore;
  readonly clock: Clock;
  readonly log: Log;
  /** Returns the number of days for which events are stored (setting `SVC_EVENT_LOG_RETENTION_DAYS`). */
  readonly retentionDays: () => number;
}

/** An event of the log. Its payload is an object, which the store keeps as JSON text. */
export interface EventToLog {
  readonly id: string;
  readonly at: number;
  readonly type: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

export const EVENT_LOG_BOUNDS = {
  events: 500_000,
  /** Maximum number of characters of a payload's JSON. If a payload is longer, its long fields are omitted. */
  payload: 4_096,
  field: 256,
  waiting: 5_000,
} as const;

const DAY_MS = 24 * 60 * 60 * 1000;
const USUAL_PAGE = 100;
const LARGEST_PAGE = 500;
/**
 * Number of events that one transaction removes. The number is limited, because the server handles no other request
 * during the transaction.
 */
const REMOVED_AT_ONCE = 2_000;

/**
 * Stores the live events for some time, so that Admins can read them. Commands of sessions and audit rows are not
 * included, because they are stored elsewhere (specification 6). `add` only queues an event; `flush` writes the queued
 * events. The owner of this object calls `flush` about once a second, and before the server stops. After a crash, the
 * events that were still queued are lost.
 */
export class EventLog {
  readonly #options: EventLogOptions;
  #waiting: LoggedEvent[] = [];
  #lost = 0;

  constructor(options: EventLogOptions) {
    this.#options = options;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  add({ id, at, type, payload }: EventToLog): void {
    if (this.#waiting.length < EVENT_LOG_BOUNDS.waiting) {
      this.#waiting.push({ id, at, type, payload: bounded(payload) });
    } else {
      this.#lost++;
    }
  }

  /**
   * Writes the queued events to the store. Never throws. If writing fails, the events stay in the queue for the next
   * call.
   */
  flush(): void {
    const { store, log } = this.#options;
    if (this.#waiting.length === 0) return;
    try {
      store.append(this.#waiting, EVENT_LOG_BOUNDS.events);
      this.#waiting = [];
    } catch (error) {
      log.warn('The event log could not be written and is tried again', { cause: String(error) });
      return;
    }
    if (this.#lost > 0) log.warn(`${this.#lost} events were too many for the event log`);
    this.#lost = 0;
  }

  /**
   * Returns a page of events that are older than the event with the id `before`, newest first. Payloads are parsed when
   * the events are requested. The returned `next` is the `before` of the next page, or null if there is none.
   */
  page(
    caller: Caller,
    { before = null, limit = USUAL_PAGE }: { before?: string | null; limit?: number },
  ): { items: Iterable<EventToLog>; next: string | null } {
    // Only Admins may read the log, because it contains events of all sessions and devices.
    if (!maySeeEvent(caller, { kind: 'admins' })) throw new Refusal('insufficient_scope');
    this.flush();
    const { store } = this.#options;
    if (before !== null && !store.has(before))
      throw new Refusal('bad_request', 'no such event', {
        message: 'before: is not an event of the event log',
      });
    const size = Math.min(LARGEST_PAGE, limit);
    const events = store.page(before, size);
    return { items: parsed(events), next: events.length < size ? null : (events.at(-1)?.id ?? null) };
  }

  /**
   * Removes a limited number of events that are older than the retention time.
   * @returns true if there may be more to remove, so that the caller should call this method again
   */
  removeOld(): boolean {
    const { store, clock, retentionDays } = this.#options;
    const before = clock.now() - retentionDays() * DAY_MS;
    return store.removeBefore(before, REMOVED_AT_ONCE) === REMOVED_AT_ONCE;
  }
}

function* parsed(events: readonly LoggedEvent[]): Generator<EventToLog, void, undefined> {
  for (const event of events) yield { ...event, payload: JSON.parse(event.payload) };
}

function bounded(payload: Readonly<Record<string, unknown>>): string {
  const whole = JSON.stringify(payload);
  if (whole.length <= EVENT_LOG_BOUNDS.payload) return whole;
  const fields = Object.entries(payload).map(([name, value]) => {
    const { length } = JSON.stringify(value) ?? '';
    return [name, length <= EVENT_LOG_BOUNDS.field ? value : `(${length} characters not kept)`];
  });
  return JSON.stringify(Object.fromEntries(fields));
}
