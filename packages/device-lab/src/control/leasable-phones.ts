import { type Caller, Refusal } from '@svc/auth-core';
import type { Device } from '../device.ts';
import type { DeviceLab } from '../device-lab.ts';
import type { Devices } from '../devices.ts';
import type { HeldLeases } from '../leases/held-leases.ts';
import type { PhoneView } from '../matching/phone-view.ts';
import { maySeeDevice } from '../visibility/see-device.ts';

/** Chooses the device of a new lease. */
export class LeasablePhones {
  readonly #lab: Pick<DeviceLab, 'devices' | 'sessions' | 'queue'>;
  readonly #held: HeldLeases;

  constructor(lab: Pick<DeviceLab, 'devices' | 'sessions' | 'queue'>, held: HeldLeases) {
    this.#lab = lab;
    this.#held = held;
  }

  /**
   * Chooses a device that fits and has no lease: the free device that has been idle longest, or if none is free, a
   * device that is busy with a session of the caller. Throws `not_found` if no device fits, or `device_busy`.
   */
  choose(caller: Caller, view: PhoneView): Device {
    const { devices, queue } = this.#lab;
    const fitting = devices
      .list()
      .filter((device) => devices.statusOf(device.udid) !== 'away' && this.fits(caller, view, device));
    if (fitting.length === 0) throw new Refusal('not_found', 'no present phone matches');
    const open = fitting.filter(({ udid }) => this.#held.on(udid) === undefined && !queue.isKept(udid));
    const ownerId = caller.account.id;
    const idle = open.filter((device) => devices.availabilityOf(device.udid, ownerId) === 'free');
    const [free] = idle.sort((a, b) => idleSince(devices, a) - idleSince(devices, b));
    const chosen = free ?? open.find((device) => this.#runsOwnSession(caller, device.udid));
    if (chosen === undefined) for (const { udid } of open) devices.want(udid);
    if (chosen === undefined) throw new Refusal('device_busy', 'all matching phones are busy or leased');
    return chosen;
  }

  /** @returns whether a device fits, even if it is busy or away */
  isKnown(caller: Caller, view: PhoneView): boolean {
    return this.#lab.devices.list().some((device) => this.fits(caller, view, device));
  }

  /** @returns whether the caller sees the device and it meets the conditions */
  fits(caller: Caller, { conditions }: PhoneView, device: Device): boolean {
    if (!maySeeDevice(caller, device.teamId)) return false;
    const phone = { device, tags: this.#lab.devices.tagsOf(device.udid) };
    return conditions.every((each) => each.holds(phone));
  }

  #runsOwnSession({ account }: Caller, udid: string): boolean {
    const { sessions } = this.#lab;
    return sessions.running().some(({ device, ownerId }) => device?.udid === udid && ownerId === account.id);
  }
}

function idleSince(devices: Devices, { udid }: Device): number {
  return devices.idleSinceOf(udid) ?? 0;
}
