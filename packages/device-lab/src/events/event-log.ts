import { type Caller, type Clock, type Log, maySeeEvent, Refusal } from '@svc/auth-core';

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
   * Removes at most `most` events from before `at`, oldest first.
   * @returns the number of removed events
   */
  removeBefore(at: number, most: number): number;
}

interface EventLogOptions {
  readonly store: EventLogStore;
  readonly clock: Clock;
  readonly log: Log;
  /** Returns the current value of the setting `SVC_EVENT_LOG_RETENTION_DAYS`. */
  readonly retentionDays: () => number;
}

/** An event whose payload is an object and not JSON text. */
export interface EventToLog {
  readonly id: string;
  readonly at: number;
  readonly type: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

export const EVENT_LOG_BOUNDS = {
  events: 500_000,
  /** Maximum length of a payload in characters. A longer payload is stored without its long fields. */
  payload: 4_096,
  field: 256,
  waiting: 5_000,
} as const;

const DAY_MS = 24 * 60 * 60 * 1000;
const USUAL_PAGE = 100;
const LARGEST_PAGE = 500;
/** Number of events removed in one transaction. Limited, because all other requests wait for the transaction. */
const REMOVED_AT_ONCE = 2_000;

/**
 * Stores the live events for some time, for Admins. It contains neither the commands of sessions nor the audit trail,
 * because these are stored separately (specification 6). `add` only queues an event. The owner of the log calls `flush`
 * about once a second and before it stops. A crash loses the events that were queued since the last flush.
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

  /** Writes the queued events. Never throws. If writing fails, the events stay queued as long as there is room. */
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
   * Returns a page of events, newest first, that are older than the event with the id `before`. `next` is the value of
   * `before` for the next page.
   */
  page(
    caller: Caller,
    { before = null, limit = USUAL_PAGE }: { before?: string | null; limit?: number },
  ): { items: EventToLog[]; next: string | null } {
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
    const items = events.map((event) => ({ ...event, payload: JSON.parse(event.payload) }));
    return { items, next: events.length < size ? null : (events.at(-1)?.id ?? null) };
  }

  /**
   * Removes some of the events that are older than the retention time.
   * @returns true if there may be more to remove. If so, call this method again.
   */
  removeOld(): boolean {
    const { store, clock, retentionDays } = this.#options;
    const before = clock.now() - retentionDays() * DAY_MS;
    return store.removeBefore(before, REMOVED_AT_ONCE) === REMOVED_AT_ONCE;
  }
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
