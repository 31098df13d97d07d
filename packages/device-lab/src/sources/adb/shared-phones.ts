import type { Devices } from '../../devices.ts';
import type { HeldLeases } from '../../leases/held-leases.ts';
import type { AdbAddress } from './adb-connection.ts';
import { adbLockName, isHostLocked, takeHostLock } from './host-locks.ts';

interface Tools {
  readonly devices: Devices;
  readonly leases: Pick<HeldLeases, 'on'> | undefined;
  readonly address: AdbAddress;
}

/** Interval (ms) at which this server looks which phones other servers hold. */
const LOOK_MS = 1_000;
/** Maximum number of servers that are counted for one adb server. */
const MOST_SERVERS = 8;

/**
 * Makes sure that of several servers on one host that use the same adb server, only one holds a phone at a time
 * (contract 14.8). A phone that another server holds is busy here.
 */
export class SharedPhones {
  readonly #tools: Tools;
  readonly #locks = new Map<string, Promise<(() => void) | null>>();
  #timer: NodeJS.Timeout | undefined;
  /** Frees the place of this server, or undefined while it has none because it has no phone of the adb server. */
  #leave: (() => void) | undefined;
  #isLooking = false;
  #isStopped = false;

  constructor(tools: Tools) {
    this.#tools = tools;
    tools.devices.onStatus(({ udid }) => this.#freeUnused(udid));
  }

  start(): void {
    this.#timer = setInterval(() => void this.#look(), LOOK_MS).unref();
  }

  stop(): void {
    this.#isStopped = true;
    clearInterval(this.#timer);
    this.#leave?.();
    for (const udid of this.#locks.keys()) this.#free(udid);
  }

  /** Resolves to whether this server may use the phone. False if another server holds it. */
  async hold(udid: string): Promise<boolean> {
    const { devices } = this.#tools;
    if (!this.#isShared(udid)) return true;
    const lock = this.#locks.get(udid) ?? takeHostLock(this.#nameOf(udid));
    this.#locks.set(udid, lock);
    const isHere = (await lock) !== null;
    if (!isHere && this.#locks.get(udid) === lock) this.#locks.delete(udid);
    devices.markElsewhere(udid, !isHere);
    return isHere;
  }

  #isShared(udid: string): boolean {
    return this.#tools.devices.sourceOf(udid)?.name === 'adb';
  }

  #nameOf(udid: string): string {
    return adbLockName(this.#tools.address, `phone ${udid}`);
  }

  #isUsedHere(udid: string): boolean {
    const { devices, leases } = this.#tools;
    return devices.isHeld(udid) || devices.isBeingCleaned(udid) || leases?.on(udid) !== undefined;
  }

  #freeUnused(udid: string): void {
    if (this.#locks.has(udid) && !this.#isUsedHere(udid)) this.#free(udid);
  }

  #free(udid: string): void {
    const lock = this.#locks.get(udid);
    this.#locks.delete(udid);
    void lock?.then((end) => end?.());
  }

  async #look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    const { devices, leases } = this.#tools;
    try {
      for (const udid of this.#locks.keys()) this.#freeUnused(udid);
      for (const { udid } of devices.list().filter((device) => this.#isShared(device.udid))) {
        if (this.#leave === undefined) await this.#register();
        if (this.#locks.has(udid)) continue;
        if (leases?.on(udid) !== undefined || devices.isBeingCleaned(udid)) await this.hold(udid);
        else if (!devices.isHeld(udid)) {
          const isElsewhere = await isHostLocked(this.#nameOf(udid));
          devices.markElsewhere(udid, isElsewhere && !this.#locks.has(udid));
        }
      }
    } finally {
      this.#isLooking = false;
    }
  }

  /** Takes one of the places by which `serversOfAdb` counts the servers of an adb server. */
  async #register(): Promise<void> {
    for (let place = 1; place <= MOST_SERVERS && !this.#isStopped; place++) {
      const leave = await takeHostLock(adbLockName(this.#tools.address, `server ${place}`));
      if (leave === null) continue;
      if (this.#isStopped) leave();
      else this.#leave = leave;
      return;
    }
  }
}

/** @returns the number of servers of this host that use the phones of an adb server */
export async function serversOfAdb(address: AdbAddress): Promise<number> {
  const places = Array.from({ length: MOST_SERVERS }, (_, at) => adbLockName(address, `server ${at + 1}`));
  return (await Promise.all(places.map(isHostLocked))).filter(Boolean).length;
}
