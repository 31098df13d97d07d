import { allocateDevice, type DeviceRequest } from './allocate-device.ts';
import type { Device } from './device.ts';
import type { Devices } from './devices.ts';

/** The lab runs as many sessions as it may. The message is sent to the client. */
export class SessionLimitReached extends Error {
  constructor(most: number) {
    super(`the limit of ${most} sessions at once is reached`);
    this.name = 'SessionLimitReached';
  }
}

interface ReservationsOptions {
  readonly devices: Devices;
  /** Limit of running and starting sessions. Below 1 there is no limit (specification 8.2). */
  readonly maxSessions: () => number;
  /** Number of running sessions. */
  readonly running: () => number;
}

/** Reserves places under the session limit, and devices, for sessions that are starting. */
export class Reservations {
  readonly #options: ReservationsOptions;
  #starting = 0;

  constructor(options: ReservationsOptions) {
    this.#options = options;
  }

  /** Throws `SessionLimitReached` or `NoMatchingDevice`. The caller must `confirm` or `cancel` the reservation. */
  reserve(request: DeviceRequest): Reservation {
    const { devices } = this.#options;
    this.#checkLimit();
    const device = devices.isEmpty ? null : allocateDevice(devices, request);
    return this.#started(device, device?.node ?? null);
  }

  /** Reserves a place without a device, because `node` picks one of its own. */
  reservePlace(node: string): Reservation {
    this.#checkLimit();
    return this.#started(null, node);
  }

  #checkLimit(): void {
    const { running, maxSessions } = this.#options;
    const most = maxSessions();
    if (most >= 1 && running() + this.#starting >= most) throw new SessionLimitReached(most);
  }

  #started(device: Device | null, node: string | null): Reservation {
    const { devices } = this.#options;
    this.#starting++;
    return new Reservation(device, node, (confirmed) => {
      this.#starting--;
      if (!confirmed && device !== null) devices.release(device.udid);
    });
  }
}

/** A place and a device for a session. It is confirmed or cancelled, once. */
export class Reservation {
  readonly device: Device | null;
  /** Name of the node on which the session will run, or null for this server. */
  readonly node: string | null;
  readonly #settle: (confirmed: boolean) => void;
  #settled = false;
  #claimed = false;

  constructor(device: Device | null, node: string | null, settle: (confirmed: boolean) => void) {
    this.device = device;
    this.node = node;
    this.#settle = settle;
  }

  /**
   * Called by the create for which it was made, which settles it from then on.
   * @returns false if it was cancelled or claimed before
   */
  claim(): boolean {
    if (this.#settled || this.#claimed) return false;
    this.#claimed = true;
    return true;
  }

  /** Cancels it because the client disconnected or got another response. No effect once it is claimed. */
  abandon(): void {
    if (!this.#claimed) this.cancel();
  }

  /** The session runs and counts from now on. Its device stays reserved until the session ends. */
  confirm(): void {
    if (this.#settled) throw new Error('reservation already settled');
    this.#settled = true;
    this.#settle(true);
  }

  /** Frees the place and the device. No effect once settled. */
  cancel(): void {
    if (this.#settled) return;
    this.#settled = true;
    this.#settle(false);
  }
}
