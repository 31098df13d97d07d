import type { Clock, EventAudience, Log } from '@svc/auth-core';

/** What happened in the lab, for those who watch it live. Never holds a secret. */
export interface LabEvent {
  /** `session_started`, `device_offline`, …: what it is about, then what happened. */
  readonly type: string;
  /** Ms since 1970. */
  readonly at: number;
  /** JSON, as it goes over the wire: times are ISO 8601 text. */
  readonly payload: Readonly<Record<string, unknown>>;
  readonly audience: EventAudience;
  /** False if the event log leaves it out because other records tell the same. */
  readonly isLogged?: boolean;
}

export type NewLabEvent = Omit<LabEvent, 'at'>;

/** Called within the change it is told of: does little, and what takes time later. */
export type LabEventListener = (event: LabEvent) => void;

/** Live events on their way from where things happen to whoever listens. Synchronous; nothing is kept. */
export class LabEvents {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #listeners = new Set<LabEventListener>();

  constructor(clock: Clock, log: Log) {
    this.#clock = clock;
    this.#log = log;
  }

  /** False: nobody listens, and an event need not even be put together. */
  get isHeard(): boolean {
    return this.#listeners.size > 0;
  }

  /** A listener that throws is logged and disturbs neither the others nor the publisher. */
  publish(event: NewLabEvent): void {
    if (!this.isHeard) return;
    const published: LabEvent = { ...event, at: this.#clock.now() };
    for (const listener of this.#listeners) {
      try {
        listener(published);
      } catch (error) {
        this.#log.error('A live event was not passed on', { type: event.type, cause: String(error) });
      }
    }
  }

  /** The answer ends it. */
  subscribe(listener: LabEventListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
