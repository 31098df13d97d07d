import type { AgentClaim } from '@svc/auth-core';
import type { AgentLimits } from './agents/agent-limits.ts';
import { allocateDevice, type DeviceRequest } from './allocate-device.ts';
import type { Device } from './device.ts';
import type { Devices } from './devices.ts';

/** Thrown if the lab already runs the maximum number of sessions. The message is sent to the client. */
export class SessionLimitReached extends Error {
  constructor(most: number) {
    super(`the limit of ${most} sessions at once is reached`);
    this.name = 'SessionLimitReached';
  }
}

interface ReservationsOptions {
  readonly devices: Devices;
  /** Returns the limit of running and starting sessions. Below 1 there is no limit (specification 8.2). */
  readonly maxSessions: () => number;
  /** Returns the number of running sessions. */
  readonly running: () => number;
  readonly agentLimits: Pick<AgentLimits, 'check' | 'begin'>;
  /** Called after a reservation was cancelled, when its place and its device are free again. */
  readonly freed?: () => void;
}

/** Reserves places under the session limit, and devices, for sessions that are starting. */
export class Reservations {
  readonly #options: ReservationsOptions;
  #starting = 0;
  #startingUnassigned = 0;

  constructor(options: ReservationsOptions) {
    this.#options = options;
  }

  /**
   * Reserves a place and a device. Throws `AgentLimitReached` if the agent has reached a limit of its token,
   * `SessionLimitReached` if too many sessions run, or `NoMatchingDevice` if no free device fits. The caller must
   * `confirm` or `cancel` the reservation.
   */
  reserve(request: DeviceRequest, agent: AgentClaim | null): Reservation {
    const { devices } = this.#options;
    this.#checkLimits(agent);
    const device = devices.isEmpty ? null : allocateDevice(devices, request);
    return this.#started(device, device?.node ?? null, agent);
  }

  /** Reserves a place without a device, because the grid named `node` picks one of its own devices. */
  reservePlace(node: string, agent: AgentClaim | null): Reservation {
    this.#checkLimits(agent);
    return this.#started(null, node, agent);
  }

  /** Whether the number of running and starting sessions has reached the session limit. */
  get isFull(): boolean {
    const { running, maxSessions } = this.#options;
    const most = maxSessions();
    return most >= 1 && running() + this.#starting >= most;
  }

  /**
   * Whether a session is starting on this server for which the lab reserved no device, so that the driver picks a
   * device.
   */
  get startsUnassigned(): boolean {
    return this.#startingUnassigned > 0;
  }

  #checkLimits(agent: AgentClaim | null): void {
    if (agent !== null) this.#options.agentLimits.check(agent);
    if (this.isFull) throw new SessionLimitReached(this.#options.maxSessions());
  }

  #started(device: Device | null, node: string | null, agent: AgentClaim | null): Reservation {
    const { devices, freed, agentLimits } = this.#options;
    const ended = agent === null ? undefined : agentLimits.begin(agent);
    const unassigned = device === null && node === null ? 1 : 0;
    this.#starting++;
    this.#startingUnassigned += unassigned;
    return new Reservation(device, node, (confirmed) => {
      this.#starting--;
      this.#startingUnassigned -= unassigned;
      ended?.();
      if (confirmed) return;
      if (device !== null) devices.release(device.udid);
      freed?.();
    });
  }
}

/**
 * A place under the session limit and a device, reserved for one session. The reservation is either confirmed or
 * cancelled, once.
 */
export class Reservation {
  readonly device: Device | null;
  /** Name of the node on which the session will run, or null for this server. */
  readonly node: string | null;
  /** Time (ms) that the create-session request waited for the reservation. */
  waitedMs = 0;
  readonly #settle: (confirmed: boolean) => void;
  #settled = false;
  #claimed = false;
  #abandoned = false;

  constructor(device: Device | null, node: string | null, settle: (confirmed: boolean) => void) {
    this.device = device;
    this.node = node;
    this.#settle = settle;
  }

  /**
   * Claims the reservation for the create-session request for which it was made. From then on, only this create-session
   * request confirms or cancels it.
   * @returns false if the reservation was cancelled or claimed before
   */
  claim(): boolean {
    if (this.#settled || this.#claimed) return false;
    this.#claimed = true;
    return true;
  }

  /**
   * Cancels the reservation because the client disconnected or got a response before a session was created. Has no
   * effect once a create-session request has claimed the reservation.
   */
  abandon(): void {
    if (this.#claimed) return;
    this.#abandoned = !this.#settled;
    this.cancel();
  }

  /** Whether the reservation was abandoned, so that no session may start for its create-session request. */
  get isAbandoned(): boolean {
    return this.#abandoned;
  }

  /**
   * Confirms that the session runs. The session is counted as running from now on, and its device stays reserved until
   * the session ends.
   */
  confirm(): void {
    if (this.#settled) throw new Error('reservation already settled');
    this.#settled = true;
    this.#settle(true);
  }

  /** Frees the place and the device. Has no effect once the reservation was confirmed or cancelled. */
  cancel(): void {
    if (this.#settled) return;
    this.#settled = true;
    this.#settle(false);
  }
}
