import type { Clock, EventAudience, Log } from '@svc/auth-core';

/** An event of the lab, for live readers. It never contains a secret. */
export interface LabEvent {
  /** Subject and what happened, such as `session_started` or `device_offline`. */
  readonly type: string;
  /** Ms since 1970. */
  readonly at: number;
  /** JSON as it is sent, with times as ISO 8601 text. */
  readonly payload: Readonly<Record<string, unknown>>;
  readonly audience: EventAudience;
  /** False if the event log leaves it out because other records contain the same. */
  readonly isLogged?: boolean;
}

export type NewLabEvent = Omit<LabEvent, 'at'>;

/** Called within the change that the event is about, so it must return quickly and do slow work later. */
export type LabEventListener = (event: LabEvent) => void;

/** Passes live events from publishers to listeners, synchronously. No event is kept. */
export class LabEvents {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #listeners = new Set<LabEventListener>();

  constructor(clock: Clock, log: Log) {
    this.#clock = clock;
    this.#log = log;
  }

  /** Whether there is a listener. If not, callers can skip creating the event. */
  get hasListeners(): boolean {
    return this.#listeners.size > 0;
  }

  /** Calls all listeners. An error of a listener is logged, and the others are still called. */
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

  /** @returns a function that removes the listener */
  subscribe(listener: LabEventListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
