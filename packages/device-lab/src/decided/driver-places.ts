import type { Device } from '../device.ts';
import type { AdbAddress } from '../sources/adb/adb-connection.ts';
import type { StartedSession } from '../start-session.ts';
import { capabilitySets, valuesOf } from './capability-sets.ts';
import { DecidedCapabilities, type DecidedOptions, writeDecided } from './decided-capabilities.ts';
import type { DriverPorts, HeldPorts } from './driver-ports.ts';
import { type HostDriver, portsOf } from './host-capabilities.ts';
import { lockPhone } from './phone-lock.ts';
import { adbValues, deviceValues, hostDriversOf } from './place-values.ts';

/** Where the drivers of this host run. Each field that is absent is left to the drivers. */
export interface DriverPlacesOptions extends DecidedOptions {
  /** Address of the adb server whose phones the lab offers. */
  readonly adb?: AdbAddress;
  /** Ports of this host that drivers may use. */
  readonly ports?: Pick<DriverPorts, 'take'>;
  /** Returns the folder in which WebDriverAgent is built for a device. */
  readonly buildFolder?: (udid: string) => string;
}

/** What was reserved for a session, and how many devices the lab has. */
interface Reserved {
  readonly device: Device | null;
  /** Name of the node or grid on which the session will run, or null for this server. */
  readonly node: string | null;
  readonly hasDevices: boolean;
}

/** Where the driver of one session runs. */
export interface DriverPlace {
  /** Port of this host at which the driver shows the screen of the device, or null if the lab gave it none. */
  readonly mjpegPort: number | null;
  /** Gives the ports of the session back. Called when its driver has ended. Further calls have no effect. */
  release(): void;
}

type Fields = Record<string, unknown>;

const ANDROID: readonly HostDriver[] = ['UiAutomator2', 'Espresso'];
const NO_PLACE: DriverPlace = { mjpegPort: null, release: () => undefined };

/** @returns whether the lab knows the WebDriverAgent of a device */
export function hasOwnAgent(device: Pick<Device, 'wdaUrl'> | null): boolean {
  return (device?.wdaUrl ?? null) !== null;
}

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
   * node adds what is free on its own host. With sign-in off, values of the client stay. Rejects with
   * `CreateRefused` if a capability is refused or too few ports are free. The caller must
   * release the place.
   */
  async assign(capabilities: Fields, { device, node, hasDevices }: Reserved): Promise<DriverPlace> {
    if (node !== null && device === null) return NO_PLACE;
    this.decided.check(capabilities, hasOwnAgent(device));
    this.decided.drop(capabilities, { device, hasDevices });
    const isLeft = (name: string) => !this.decided.decidesOn(name);
    const described =
      device === null ? {} : this.#options.applies ? deviceValues(device) : { udid: device.udid };
    if (node !== null) {
      writeDecided(capabilities, described, (name) => name !== 'udid' && isLeft(name));
      return NO_PLACE;
    }
    const { drivers, names } = this.#needs(capabilities, device, isLeft);
    const unlock = await this.#lock(device);
    const held = await this.#take(names).catch((error: unknown) => {
      unlock();
      throw error;
    });
    const values = {
      ...described,
      ...this.#valuesOf(drivers, device),
      ...held?.ports,
    };
    writeDecided(capabilities, values, (name) => name !== 'udid' && isLeft(name));
    const release = (): void => {
      held?.release();
      unlock();
    };
    return { mjpegPort: held?.ports.mjpegServerPort ?? null, release };
  }

  async #take(names: readonly string[]): Promise<HeldPorts | undefined> {
    return names.length === 0 ? undefined : await this.#options.ports?.take(names);
  }

  /** Locks a phone of the adb server against the other servers of this host. */
  async #lock(device: Device | null): Promise<() => void> {
    const { adb } = this.#options;
    if (device === null || adb === undefined || device.logs !== 'adb') return () => undefined;
    return await lockPhone(device.udid, adb);
  }

  /** Returns the drivers that may run the session, and the names of the ports that they need from the lab. */
  #needs(
    capabilities: Fields,
    device: Device | null,
    isLeft: (name: string) => boolean,
  ): { drivers: readonly HostDriver[]; names: string[] } {
    const sets = capabilitySets(capabilities);
    const drivers = hostDriversOf(sets, device);
    const isGiven = (name: string) =>
      isLeft(name) && valuesOf(sets, name.toLowerCase()).some((each) => each != null);
    return { drivers, names: portsOf(drivers).filter((name) => !isGiven(name)) };
  }

  #valuesOf(drivers: readonly HostDriver[], device: Device | null): Readonly<Fields> {
    const { adb, buildFolder } = this.#options;
    if (device === null) return {};
    const isAndroid = drivers.some((driver) => ANDROID.includes(driver));
    const { wdaUrl = null } = device;
    return {
      ...(drivers.includes('XCUITest') && wdaUrl !== null ? { webDriverAgentUrl: wdaUrl } : {}),
      ...(isAndroid && adb !== undefined ? adbValues(device, adb) : {}),
      ...(drivers.includes('XCUITest') && buildFolder !== undefined
        ? { derivedDataPath: buildFolder(device.udid) }
        : {}),
    };
  }
}

/** Gives the place of a session back as soon as its driver has ended, however that happens. */
export function inPlace(session: StartedSession, place: DriverPlace): StartedSession {
  if (place === NO_PLACE) return session;
  const release = () => place.release();
  session.ended.then(release, release);
  return { ...session, end: () => session.end().finally(release) };
}
