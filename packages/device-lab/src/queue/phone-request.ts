import type { Caller } from '@svc/auth-core';
import type { Device } from '../device.ts';

/** How long a request may wait, and when it stops waiting. */
export interface Patience {
  /**
   * Time (ms since 1970) until which the request waits at most. If this time is in the past, the request does not wait.
   */
  readonly until: number;
  /** Signal that is aborted when the client disconnects. Null if the request does not wait. */
  readonly gone: AbortSignal | null;
  /** Called with the waiting time (ms) when the wait has ended. */
  waited?(ms: number): void;
}

/** Value of `Patience` for a request that does not wait. */
export const NO_PATIENCE: Patience = { until: 0, gone: null };

/** Description of the requested phone, as the queue shows it. */
export interface WantedPhone {
  readonly udid: string | null;
  readonly platform: string | null;
  readonly tags: readonly string[];
}

/** A request for a phone that the queue can store and try repeatedly. */
export interface PhoneRequest<R> {
  /** `session` for a create-session request, `lease` for a lease request. */
  readonly kind: 'session' | 'lease';
  /**
   * Sender of the request, or null if it has no owner. The queue checks the sender's rights while the request waits.
   */
  readonly caller: Caller | null;
  readonly countedAs: string | null;
  readonly wants: WantedPhone;
  /**
   * Whether the request needs a device of this lab. If false, the request waits only if the session limit is reached.
   */
  readonly needsDevice: boolean;
  /**
   * Takes a phone, as far as the sender's current rights allow. If no phone is available, throws the error that the
   * client gets if the request does not wait.
   */
  take(caller: Caller | null): R;
  /**
   * Returns whether the request may wait, or continue to wait, after `take` threw this error. `isFirst` is true if the
   * request has not waited yet.
   */
  canWait(error: unknown, caller: Caller | null, isFirst: boolean): boolean;
  /**
   * @returns why a limit of the sender keeps the request from being served now, or null if none does. Such a request
   * keeps no phone from others.
   */
  heldBack(caller: Caller | null): string | null;
  /** @returns the reason why the sender's current rights no longer allow the request, or null if they do */
  lostRight(caller: Caller): string | null;
  /** @returns a function that tells whether the request could use a device if that device were free */
  usable(caller: Caller | null): (device: Device) => boolean;
}

/** Thrown if a waiting request is refused because its sender has lost the right to make it. */
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
