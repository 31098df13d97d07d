import { type Caller, type Clock, type Log, maySeeEvent, Refusal } from '@svc/auth-core';

/** A live event as it is stored. `payload` is JSON. */
export interface LoggedEvent {
  readonly id: string;
  /** Ms since 1970. */
  readonly at: number;
  readonly type: string;
  readonly payload: string;
}

/** Stores the event log. Synchronous. Throws `Unavailable` if it cannot be read or written. */
export interface EventLogStore {
  /** Adds all events or none. Of all stored events, the newest `most` stay. */
  append(events: readonly LoggedEvent[], most: number): void;
  has(id: string): boolean;
  /** @returns events older than the one with the id `before`, or the newest if it is null; newest first */
  page(before: string | null, limit: number): LoggedEvent[];
  /**
   * Removes at most `most` events from before `at`, oldest first.
   * @returns how many were removed
   */
  removeBefore(at: number, most: number): number;
}

interface EventLogOptions {
  readonly store: EventLogStore;
  readonly clock: Clock;
  readonly log: Log;
  /** The current `SVC_EVENT_LOG_RETENTION_DAYS`. */
  readonly retentionDays: () => number;
}

/** An event with its payload as an object. */
export interface EventToLog {
  readonly id: string;
  readonly at: number;
  readonly type: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

export const EVENT_LOG_BOUNDS = {
  events: 500_000,
  /** Characters of a payload. A longer payload loses its long fields. */
  payload: 4_096,
  field: 256,
  waiting: 5_000,
} as const;

const DAY_MS = 24 * 60 * 60 * 1000;
const USUAL_PAGE = 100;
const LARGEST_PAGE = 500;
/** Events removed in one transaction. All other requests wait for the transaction. */
const REMOVED_AT_ONCE = 2_000;

/**
 * Keeps the live events for a while, for Admins. Session commands, which have a log of their own, and the audit trail
 * are left out (specification 6). `add` only queues an event. The owner of the log calls `flush` about once a second
 * and before it stops. A crash loses the events that were queued since the last flush.
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

  /** Writes the queue. Never throws: if writing fails, the events stay queued as long as there is room. */
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

  /** Newest first, and only events older than the one with the id `before`. `next` is the `before` of the next page. */
  page(
    caller: Caller,
    { before = null, limit = USUAL_PAGE }: { before?: string | null; limit?: number },
  ): { items: EventToLog[]; next: string | null } {
    // The log contains events of all sessions and devices.
    if (!maySeeEvent(caller, { kind: 'admins' })) throw new Refusal('insufficient_scope');
    this.flush();
    const { store } = this.#options;
    if (before !== null && !store.has(before))
      throw new Refusal('bad_request', 'no such event', { message: 'before: is no event of the event log' });
    const size = Math.min(LARGEST_PAGE, limit);
    const events = store.page(before, size);
    const items = events.map((event) => ({ ...event, payload: JSON.parse(event.payload) }));
    return { items, next: events.length < size ? null : (events.at(-1)?.id ?? null) };
  }

  /**
   * Removes some of the events that are older than the retention.
   * @returns true if there may be more
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
