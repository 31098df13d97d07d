import type { AgentClaim, Caller } from '@svc/auth-core';
import { allocateDevice, type DeviceRequest } from './allocate-device.ts';
import { counted } from './counted.ts';
import { CreateRefused } from './create-refused.ts';
import type { Device } from './device.ts';
import type { Devices } from './devices.ts';
import type { AgentLimits } from './leases/agent-limits.ts';
import type { Shares } from './shares/shares.ts';

interface ReservationsOptions {
  readonly devices: Devices;
  /**
   * Returns the maximum number of running and starting sessions. A number below 1 means that there is no limit
   * (specification 8.2).
   */
  readonly maxSessions: () => number;
  /** Returns the number of running sessions. */
  readonly running: () => number;
  readonly agentLimits: Pick<AgentLimits, 'check' | 'checkPhone' | 'begin'>;
  readonly shares: Pick<Shares, 'check' | 'begin'>;
  /**
   * Called when a reservation was cancelled, after its device has been freed and the reservation no longer counts
   * towards the session limit.
   */
  readonly freed?: () => void;
}

/** What was reserved: a device, or none for a session on the desktop of the host or on a device that others pick. */
interface ReservedDevice {
  readonly device: Device | null;
  readonly view: number | null;
  readonly isDesktop: boolean;
}

const NO_DEVICE: ReservedDevice = { device: null, view: null, isDesktop: false };

/** Reserves devices for sessions that are starting, and counts these sessions towards the session limit. */
export class Reservations {
  readonly #options: ReservationsOptions;
  #starting = 0;
  #startingUnassigned = 0;

  constructor(options: ReservationsOptions) {
    this.#options = options;
  }

  /**
   * Reserves a free device that fits the request, unless the lab has no devices. Throws `CreateRefused` if the
   * agent's token does not allow another session now, `ShareReached` if a limit of the owner or of one of the owner's
   * teams does not, `CreateRefused` if the session limit is reached, or `NoMatchingDevice` if no free device fits. The
   * caller must `confirm` or `cancel` the reservation.
   */
  reserve(request: DeviceRequest, agent: AgentClaim | null): Reservation {
    const { devices } = this.#options;
    const ownerId = request.ownerId ?? null;
    this.#checkLimits(agent, ownerId);
    const allocated = devices.isEmpty ? null : allocateDevice(devices, request);
    const device = allocated?.device ?? null;
    if (agent !== null) this.#checkPhone(device, agent);
    return this.#started(
      { device, view: allocated?.view.index ?? null, isDesktop: allocated !== null && device === null },
      device?.node ?? null,
      { agent, ownerId },
    );
  }

  /**
   * Reserves no device, because the grid named `node` picks one itself. The session only counts towards the session
   * limit.
   */
  reservePlace(node: string, caller: Pick<Caller, 'account' | 'credential'> | null): Reservation {
    const agent = caller?.credential.agent ?? null;
    const ownerId = caller?.account.id ?? null;
    this.#checkLimits(agent, ownerId);
    if (agent !== null) this.#checkPhone(null, agent);
    return this.#started(NO_DEVICE, node, { agent, ownerId });
  }

  /** Whether the number of running and starting sessions has reached the session limit. */
  get isFull(): boolean {
    const { running, maxSessions } = this.#options;
    const most = maxSessions();
    return most >= 1 && running() + this.#starting >= most;
  }

  /** Whether a session is starting on this server for which no device was reserved. Its driver picks the device. */
  get startsUnassigned(): boolean {
    return this.#startingUnassigned > 0;
  }

  #checkLimits(agent: AgentClaim | null, ownerId: string | null): void {
    if (agent !== null) this.#options.agentLimits.check(agent);
    this.#options.shares.check(ownerId, 'sessions');
    if (this.isFull) throw sessionLimit(this.#options.maxSessions());
  }

  /** Frees the device and throws `CreateRefused` if the agent's token does not allow it to hold another phone. */
  #checkPhone(device: Device | null, agent: AgentClaim): void {
    try {
      this.#options.agentLimits.checkPhone(agent, device?.udid ?? null);
    } catch (error) {
      if (device !== null) this.#options.devices.release(device.udid);
      throw error;
    }
  }

  #started(
    { device, view, isDesktop }: ReservedDevice,
    node: string | null,
    { agent, ownerId }: { readonly agent: AgentClaim | null; readonly ownerId: string | null },
  ): Reservation {
    const { devices, freed, agentLimits, shares } = this.#options;
    const begun = shares.begin(ownerId);
    const ended = agent === null ? undefined : agentLimits.begin(agent, device?.udid ?? null);
    const unassigned = device === null && node === null && !isDesktop ? 1 : 0;
    this.#starting++;
    this.#startingUnassigned += unassigned;
    return new Reservation({ device, view, isDesktop }, node, (confirmed) => {
      this.#starting--;
      this.#startingUnassigned -= unassigned;
      ended?.();
      begun();
      if (confirmed) {
        if (device !== null) devices.started(device.udid);
        return;
      }
      if (device !== null) devices.release(device.udid);
      freed?.();
    });
  }
}

/**
 * Reservation for one session: the session counts towards the session limit, and its device, if any, is busy. The
 * reservation is either confirmed or cancelled, once.
 */
export class Reservation {
  readonly device: Device | null;
  /**
   * Position of the `firstMatch` entry for which the device was chosen, or null if the capabilities stay unchanged
   * (contract 14.3).
   */
  readonly view: number | null;
  /** Name of the node on which the session will run, or null for this server. */
  readonly node: string | null;
  /** Time (ms) that the create-session request waited for the reservation. */
  waitedMs = 0;
  /** JSON text of the capabilities for which the device was chosen, or null if a grid chooses it. */
  madeFor: string | null = null;
  /** Whether `abandon` has cancelled the reservation. If so, no session may be started with it. */
  isAbandoned = false;
  readonly #settle: (confirmed: boolean) => void;
  #settled = false;
  #claimed = false;

  constructor({ device, view }: ReservedDevice, node: string | null, settle: (confirmed: boolean) => void) {
    this.device = device;
    this.view = view;
    this.node = node;
    this.#settle = settle;
  }

  /** Returns whether the device was chosen for these capabilities. */
  isFor(wanted: unknown): boolean {
    return this.madeFor === null || this.madeFor === JSON.stringify(wanted);
  }

  /**
   * Called when the create-session request for which the reservation was made takes it over. After that, `abandon` has
   * no effect.
   * @returns false if the reservation was already taken over, confirmed or cancelled
   */
  claim(): boolean {
    if (this.#settled || this.#claimed) return false;
    this.#claimed = true;
    return true;
  }

  /**
   * Cancels the reservation, because the client disconnected or got a response before a session was created. Has no
   * effect after `claim`.
   */
  abandon(): void {
    if (this.#claimed) return;
    this.isAbandoned = !this.#settled;
    this.cancel();
  }

  /**
   * Confirms that the session runs. From now on, the lab counts it as a running session. Its device stays busy until
   * the session ends.
   */
  confirm(): void {
    if (this.#settled) throw new Error('reservation already settled');
    this.#settled = true;
    this.#settle(true);
  }

  /**
   * Frees the device and no longer counts the session towards the session limit. Has no effect if the reservation was
   * already confirmed or cancelled.
   */
  cancel(): void {
    if (this.#settled) return;
    this.#settled = true;
    this.#settle(false);
  }
}

function sessionLimit(most: number): CreateRefused {
  return new CreateRefused('session-limit', `the limit of ${counted(most, 'session')} at once is reached`);
}
