import type { Clock, Log } from '@svc/auth-core';
import type { LiveEventName, LiveEvents } from '@svc/contract';
import type { Sendable } from '@svc/module';
import type { EventAudience } from '../visibility/see-event.ts';

/** An event of the lab for live readers, as the table of the contract declares it. It never contains a secret. */
export type NewLabEvent<Name extends LiveEventName = LiveEventName> = {
  [Type in Name]: {
    readonly type: Type;
    /** Payload as it is sent in JSON. Times are texts in ISO 8601 format. */
    readonly payload: Sendable<LiveEvents[Type]['payload']>;
    readonly audience: Extract<EventAudience, { kind: LiveEvents[Type]['audience'] }>;
    /**
     * If false, the event is not stored in the event log, because other records contain the same facts. Absent means
     * true.
     */
    readonly isLogged?: boolean;
  };
}[Name];

/** An event with its time in ms since 1970. */
export type LabEvent = NewLabEvent & { readonly at: number };

/**
 * Listener for events. It is called synchronously during the change that the event reports, and delays this change
 * until it returns.
 */
export type LabEventListener = (event: LabEvent) => void;

/** Passes each event synchronously to all listeners. This class stores no events. */
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
