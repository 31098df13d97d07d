import type { Device } from '../device.ts';
import type { AdbAddress } from '../sources/adb/adb-connection.ts';
import { capabilitySets } from './capability-sets.ts';
import { DecidedCapabilities, type DecidedOptions, writeDecided } from './decided-capabilities.ts';
import type { HostDriver } from './host-capabilities.ts';
import { adbValues, deviceValues, hostDriversOf } from './place-values.ts';

/** Where the drivers of this host run. Each field that is absent is left to the drivers. */
export interface DriverPlacesOptions extends DecidedOptions {
  /** Address of the adb server whose phones the lab offers. */
  readonly adb?: AdbAddress;
}

/** What was reserved for a session, and how many devices the lab has. */
interface Reserved {
  readonly device: Device | null;
  /** Name of the node or grid on which the session will run, or null for this server. */
  readonly node: string | null;
  readonly hasDevices: boolean;
}

type Fields = Record<string, unknown>;

const ANDROID: readonly HostDriver[] = ['UiAutomator2', 'Espresso'];

/** Decides where the driver of a session runs, and writes this into the capabilities of the session (contract 14.1). */
export class DriverPlaces {
  readonly decided: DecidedCapabilities;
  readonly #options: DriverPlacesOptions;

  constructor(options: DriverPlacesOptions) {
    this.#options = options;
    this.decided = new DecidedCapabilities(options);
  }

  /**
   * Replaces the capabilities that the lab decides on, in place. A session in a grid keeps the capabilities of its
   * client, because the grid decides where it runs. For a session on a node, only the device is written, because the
   * node adds what is free on its own host. Throws `CapabilityRefused` if a capability is refused.
   */
  assign(capabilities: Fields, { device, node, hasDevices }: Reserved): void {
    if (node !== null && device === null) return;
    this.decided.check(capabilities);
    this.decided.drop(capabilities, { device, hasDevices });
    if (!this.#options.applies) {
      if (device !== null) writeDecided(capabilities, { udid: device.udid }, () => false);
      return;
    }
    const values = {
      ...(device === null ? {} : deviceValues(device)),
      ...(node === null ? this.#valuesHere(capabilities, device) : {}),
    };
    writeDecided(capabilities, values, (name) => !this.decided.decidesOn(name));
  }

  #valuesHere(capabilities: Fields, device: Device | null): Readonly<Fields> {
    const drivers = hostDriversOf(capabilitySets(capabilities), device);
    const { adb } = this.#options;
    const isAndroid = drivers.some((driver) => ANDROID.includes(driver));
    return isAndroid && adb !== undefined && device !== null ? adbValues(device, adb) : {};
  }
}
