import type { DeviceStatus } from './device.ts';
import { KnownDevices, type StatusListener } from './known-devices.ts';

/** A device that still has what its last holder left on it (contract 17.3). */
export interface Uncleaned {
  /** Account whose things are on the device, or null if no account may continue with them. */
  readonly holderId: string | null;
  /**
   * `reading` until it is known what is on the device. `leased` while its holder has the device, so that leases decide
   * who may use it. `waiting` for the holder's next session, or for its cleaning. `cleaning` while it is being cleaned.
   * `failed` if it could not be cleaned.
   */
  readonly state: 'reading' | 'leased' | 'waiting' | 'cleaning' | 'failed';
}

/** A session that is starting on a device, and since when (ms since 1970). */
export interface StartingSession {
  /** Id of the account that will own the session, or null if it will have no owner. */
  readonly ownerId: string | null;
  readonly since: number;
}

/** The devices of the lab and their statuses: which are free, and what keeps the others from new sessions. */
export class Devices extends KnownDevices {
  readonly #held = new Set<string>();
  /** Devices that are out of service. They count as busy for every request that wants a device (contract 17.1). */
  readonly #blocked = new Set<string>();
  /** Devices that their nodes have put out of service. */
  readonly #blockedAtNode = new Set<string>();
  /** Devices that another server holds, which shares the adb server. */
  readonly #elsewhere = new Set<string>();
  readonly #starting = new Map<string, StartingSession>();
  readonly #uncleaned = new Map<string, Uncleaned>();
  readonly #uncleanedListeners: StatusListener[] = [];
  /** Devices in the state `waiting` that someone else than their holder has requested since. */
  readonly #wanted = new Set<string>();

  /** @returns the time (ms since 1970) since which a device has been free, or null if it is not free */
  idleSinceOf(udid: string): number | null {
    return this.statusOf(udid) === 'free' ? (this.idleSince.get(udid) ?? null) : null;
  }

  statusOf(udid: string): DeviceStatus {
    if (this.sourceOf(udid) === null) return 'away';
    if (this.#held.has(udid) || this.#elsewhere.has(udid)) return 'busy';
    return this.isBeingCleaned(udid) ? 'busy' : 'free';
  }

  /** @returns whether this server holds the device for a session */
  isHeld(udid: string): boolean {
    return this.#held.has(udid);
  }

  /** @returns whether another server that shares the adb server holds the device */
  isElsewhere(udid: string): boolean {
    return this.#elsewhere.has(udid);
  }

  /** Records whether another server that shares the adb server holds the device (contract 14.8). */
  markElsewhere(udid: string, isElsewhere: boolean): void {
    if (this.#elsewhere.has(udid) === isElsewhere) return;
    if (isElsewhere) this.#elsewhere.add(udid);
    else {
      this.#elsewhere.delete(udid);
      this.idleSince.set(udid, this.clock.now());
    }
    if (!this.#held.has(udid)) this.#heldOrReleased(udid);
  }

  /**
   * @param ownerId account that wants the device, or null if it is not known. Only the last holder of a device that is
   * not clean yet may take it.
   * @returns the status for a request that wants the device: a device that is out of service counts as busy
   */
  availabilityOf(udid: string, ownerId: string | null = null): DeviceStatus {
    const uncleaned = this.#uncleaned.get(udid);
    if (uncleaned === undefined || uncleaned.state === 'leased' || uncleaned.state === 'reading') {
      const status = this.statusOf(udid);
      return status === 'free' && this.isBlocked(udid) ? 'busy' : status;
    }
    if (this.sourceOf(udid) === null) return 'away';
    const isInUse = this.#held.has(udid) || this.#elsewhere.has(udid) || this.isBlocked(udid);
    const isOwn = ownerId !== null && uncleaned.holderId === ownerId && uncleaned.state === 'waiting';
    return isOwn && !isInUse ? 'free' : 'busy';
  }

  /** Returns what is known about a device that is not clean, or undefined if it is clean. */
  uncleanedOf(udid: string): Uncleaned | undefined {
    return this.#uncleaned.get(udid);
  }

  /** Adds a listener that is called whenever it changes whether a device is clean. It must not throw. */
  onUncleaned(listener: StatusListener): void {
    this.#uncleanedListeners.push(listener);
  }

  /** Whether no one has the device, and it waits for its cleaning or is being cleaned. */
  isBeingCleaned(udid: string): boolean {
    const state = this.#uncleaned.get(udid)?.state;
    return !this.#held.has(udid) && (state === 'waiting' || state === 'cleaning');
  }

  /** Whether what is on the device is being read, so that what its holder installs would not be removed later. */
  isBeingRead(udid: string): boolean {
    return this.#uncleaned.get(udid)?.state === 'reading';
  }

  /** Keeps a device for its last holder until it is clean, or, with null, frees it for everyone. */
  setUncleaned(udid: string, uncleaned: Uncleaned | null): void {
    const before = this.statusOf(udid);
    if (uncleaned === null) this.#uncleaned.delete(udid);
    else this.#uncleaned.set(udid, uncleaned);
    this.#wanted.delete(udid);
    const device = this.byUdid(udid);
    if (device !== undefined) for (const tell of this.#uncleanedListeners) tell(device);
    if (this.statusOf(udid) === before && uncleaned !== null) return;
    if (before === 'busy' && this.statusOf(udid) === 'free') this.idleSince.set(udid, this.clock.now());
    this.#heldOrReleased(udid);
  }

  /** Notes that a request fits a device which is kept for its last holder, so that it is cleaned without delay. */
  want(udid: string): void {
    if (this.#uncleaned.get(udid)?.state === 'waiting') this.#wanted.add(udid);
  }

  isWanted(udid: string): boolean {
    return this.#wanted.has(udid);
  }

  isBlocked(udid: string): boolean {
    return this.#blocked.has(udid) || this.#blockedAtNode.has(udid);
  }

  /** Keeps a device from new sessions and leases. A session that runs on it goes on. */
  block(udid: string): void {
    this.#blocked.add(udid);
  }

  unblock(udid: string): void {
    this.#blocked.delete(udid);
  }

  /** Blocks a device because its node has put it out of service, or ends that. Independent of `block`. */
  blockAtNode(udid: string, isBlocked: boolean): void {
    if (isBlocked) this.#blockedAtNode.add(udid);
    else this.#blockedAtNode.delete(udid);
  }

  /**
   * Makes a device busy.
   * @param ownerId if the device is held for a session that is starting, id of the account that will own the session,
   * or null if it will have no owner
   */
  hold(udid: string, ownerId?: string | null): void {
    if (this.#held.has(udid)) return;
    this.#held.add(udid);
    if (ownerId !== undefined) this.#starting.set(udid, { ownerId, since: this.clock.now() });
    this.#heldOrReleased(udid);
  }

  /** Records that the session for which a device was held has started. The device stays busy. */
  started(udid: string): void {
    this.#starting.delete(udid);
  }

  /** @returns the session that is starting on a device, or null if there is none */
  startingOn(udid: string): StartingSession | null {
    return this.#starting.get(udid) ?? null;
  }

  release(udid: string): void {
    if (!this.#held.delete(udid)) return;
    this.#starting.delete(udid);
    this.idleSince.set(udid, this.clock.now());
    this.#heldOrReleased(udid);
  }

  /**
   * Publishes the new status after a device was reserved or released. A device that is away is skipped, because its
   * status stays `away`.
   */
  #heldOrReleased(udid: string): void {
    const device = this.byUdid(udid);
    if (device !== undefined && this.sourceOf(udid) !== null) this.tellStatus(device);
  }
}
