import type { Caller } from '@svc/auth-core';
import type { Device } from '../device.ts';

/** How long a request may wait, and when it stops waiting. */
export interface Patience {
  /** Time in ms since 1970 until which the request may wait. A time in the past means that it does not wait. */
  readonly until: number;
  /** Aborted when the client disconnects; null if the request does not wait. */
  readonly gone: AbortSignal | null;
  /** Called when a wait has ended, with its duration in ms. */
  waited?(ms: number): void;
}

/** Patience of a request that does not wait. */
export const NO_PATIENCE: Patience = { until: 0, gone: null };

/** What a request wants, in the form in which the queue shows it. */
export interface WantedPhone {
  readonly udid: string | null;
  readonly platform: string | null;
  readonly tags: readonly string[];
}

/** A request for a phone, which can wait in the queue. */
export interface Wish<R> {
  /** `session` for a create, `lease` for a request for a lease. */
  readonly kind: 'session' | 'lease';
  /** Sender, or null if the request has no owner. The queue checks the sender's rights while the request waits. */
  readonly caller: Caller | null;
  readonly countedAs: string | null;
  readonly wants: WantedPhone;
  /** Whether the request needs a device of this lab, or only a place under the session limit. */
  readonly needsDevice: boolean;
  /**
   * Takes a phone, with the current rights of the sender. Throws the error with which the request is refused if it does
   * not wait.
   */
  take(caller: Caller | null): R;
  /**
   * Returns whether the request may go on waiting after this error of `take` for the same caller. `isFirst` is true
   * before the request has waited.
   */
  canWait(error: unknown, caller: Caller | null, isFirst: boolean): boolean;
  /** @returns why the sender may no longer make the request with their current rights, or null if they may */
  lostRight(caller: Caller): string | null;
  /** @returns a function that returns whether the request could use a device if it were free */
  usable(caller: Caller | null): (device: Device) => boolean;
}

/** Thrown if a waiting request is refused because its sender may no longer make it. */
export class RightLost extends Error {
  readonly caller: Caller;

  constructor(caller: Caller, reason: string) {
    super(reason);
    this.name = 'RightLost';
    this.caller = caller;
  }
}

/** Thrown if the client of a waiting request has disconnected, so that no response can be sent. */
export class ClientLeft extends Error {
  constructor() {
    super('the client disconnected while it waited for a phone');
    this.name = 'ClientLeft';
  }
}
