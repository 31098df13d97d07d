import type { Clock, EventAudience, Log } from '@svc/auth-core';

/** An event of the lab for live readers. The event never contains a secret. */
export interface LabEvent {
  /** Type of the event, made of its subject and what happened, such as `session_started` or `device_offline`. */
  readonly type: string;
  /** Time of the event in ms since 1970. */
  readonly at: number;
  /** Payload in the form in which it is sent as JSON. Times are ISO 8601 texts. */
  readonly payload: Readonly<Record<string, unknown>>;
  readonly audience: EventAudience;
  /** False if the event log omits the event because other records contain the same facts. Absent means true. */
  readonly isLogged?: boolean;
}

export type NewLabEvent = Omit<LabEvent, 'at'>;

/**
 * Listener for events. Called synchronously by the code that makes the change, so it must return quickly and do slow
 * work later.
 */
export type LabEventListener = (event: LabEvent) => void;

/** Passes live events from publishers to listeners, synchronously. Events are not stored. */
export class LabEvents {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #listeners = new Set<LabEventListener>();

  constructor(clock: Clock, log: Log) {
    this.#clock = clock;
    this.#log = log;
  }

  /** Returns whether there is a listener. If not, callers can skip creating the event. */
  get hasListeners(): boolean {
    return this.#listeners.size > 0;
  }

  /** Calls all listeners with an event. If a listener throws, the error is logged, and the others are still called. */
  publish(event: NewLabEvent): void {
    if (!this.hasListeners) return;
    const published: LabEvent = { ...event, at: this.#clock.now() };
    for (const listener of this.#listeners) {
      try {
        listener(published);
      } catch (error) {
        this.#log.error('A live event was not passed on', { type: event.type, cause: String(error) });
      }
    }
  }

  /**
   * Adds a listener.
   * @returns a function that removes the listener
   */
  subscribe(listener: LabEventListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
