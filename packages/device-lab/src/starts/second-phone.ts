import { type Clock, isRecord } from '@svc/auth-core';
import type { Device } from '../device.ts';
import type { Devices } from '../devices.ts';
import type { Reservation } from '../reservations.ts';
import type { StartFault, StartSession } from '../start-session.ts';

interface Tools {
  readonly devices: Pick<Devices, 'isBlocked' | 'block' | 'unblock'>;
  readonly clock: Clock;
}

/** Time (ms) after which a refusal no longer leads to a second try, because the client has already waited for long. */
const SOON_MS = 30_000;

/**
 * The decision whether a create that the driver refused is tried on another phone, once (contract 17.2). Only a phone of
 * this server is replaced, because a node does the same for its own.
 */
export class SecondPhone {
  readonly #wanted: Record<string, unknown> | null;
  /** The capabilities of the client, before the lab wrote the first phone into them. */
  readonly #original: Record<string, unknown> = {};
  readonly #devices: Tools['devices'];
  readonly #clock: Clock;
  #device: Device | null = null;
  #startedAt = 0;

  constructor(wanted: unknown, { devices, clock }: Tools) {
    this.#devices = devices;
    this.#clock = clock;
    this.#wanted = isRecord(wanted) ? wanted : null;
    if (this.#wanted !== null) this.#original = structuredClone(this.#wanted);
  }

  /** @returns the start, observed */
  following<A>(start: StartSession<A>): StartSession<A> {
    return async (session) => {
      this.#device = session.device;
      this.#startedAt = this.#clock.now();
      return await start(session);
    };
  }

  mayTry(outcome: object & { readonly fault?: StartFault | undefined }): boolean {
    if (!('refused' in outcome) || outcome.fault !== 'phone' || this.#wanted === null) return false;
    const isSoon = this.#clock.now() - this.#startedAt < SOON_MS;
    return this.#device !== null && this.#device.node === null && isSoon;
  }

  /**
   * Reserves another phone, and writes the original capabilities back into the object that the driver reads.
   * @returns null if no other phone is free that fits
   */
  reserve(reserve: (original: unknown) => Reservation): Reservation | null {
    let reservation: Reservation;
    try {
      reservation = this.#withoutFirst(() => reserve(this.#original));
    } catch {
      return null;
    }
    const { device } = reservation;
    if (this.#wanted === null || device === null || device.udid === this.#device?.udid) {
      reservation.cancel();
      return null;
    }
    for (const name of Object.keys(this.#wanted)) delete this.#wanted[name];
    Object.assign(this.#wanted, this.#original);
    return reservation;
  }

  /** Keeps the first phone from this reservation. Nothing else runs meanwhile, because `work` is synchronous. */
  #withoutFirst(work: () => Reservation): Reservation {
    const udid = this.#device?.udid ?? '';
    if (this.#devices.isBlocked(udid)) return work();
    this.#devices.block(udid);
    try {
      return work();
    } finally {
      this.#devices.unblock(udid);
    }
  }
}
