import type { LabEvents } from '../events/lab-events.ts';

/** Minimum time (ms) between two events. */
const EVERY_MS = 1_000;

/**
 * Publishes `queue_changed` with the number of waiting requests. The first change is published immediately, later
 * changes at most once a second. The last number is always published (contract 13).
 */
export class QueueEvents {
  readonly #events: LabEvents;
  readonly #waiting: () => number;
  #published = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(events: LabEvents, waiting: () => number) {
    this.#events = events;
    this.#waiting = waiting;
  }

  /** Schedules an event. Call this whenever the number of waiting requests may have changed. */
  changed(): void {
    if (this.#timer === undefined) this.#publish();
  }

  #publish(): void {
    const waiting = this.#waiting();
    if (waiting === this.#published) return;
    this.#published = waiting;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#publish();
    }, EVERY_MS).unref();
    this.#events.publish({
      type: 'queue_changed',
      payload: { waiting },
      audience: { kind: 'everybody' },
      isLogged: false,
    });
  }
}
