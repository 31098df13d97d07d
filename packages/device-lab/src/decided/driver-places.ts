import type { Device } from '../device.ts';
import type { AdbAddress } from '../sources/adb/adb-connection.ts';
import type { StartedSession } from '../start-session.ts';
import {
  capabilitySets,
  DecidedCapabilities,
  type DecidedOptions,
  isApple,
  valuesOf,
  writeDecided,
} from './decided-capabilities.ts';
import type { DriverPorts } from './driver-ports.ts';
import { HOST_CAPABILITIES, type HostDriver } from './host-capabilities.ts';
import { lockPhone } from './phone-lock.ts';

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
const DRIVERS: readonly HostDriver[] = [...ANDROID, 'XCUITest'];
/** Hosts on which the drivers look for the adb server if no capability says otherwise. */
const USUAL_HOSTS = new Set(['127.0.0.1', 'localhost']);
const NO_PLACE: DriverPlace = { mjpegPort: null, release: () => undefined };

/** @returns whether the lab knows the WebDriverAgent of a device */
export function hasOwnAgent(device: Pick<Device, 'wdaUrl'> | null): boolean {
  return (device?.wdaUrl ?? null) !== null;
}

/** Decides where the driver of a session runs, and writes this into the capabilities of the session (contract 14.1). */
export class DriverPlaces {
  readonly decided: DecidedCapabilities;
  readonly #options: DriverPlacesOptions;
  /** MJPEG ports that the lab gave, by the ids of the running sessions. */
  readonly #mjpegPorts = new Map<string, number>();

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
    const { applies, adb, ports } = this.#options;
    const sets = capabilitySets(capabilities);
    this.decided.check(sets, () => hasOwnAgent(device));
    this.decided.drop(sets, { device, hasDevices });
    const isOfClient = (name: string) =>
      name !== 'udid' &&
      !this.decided.decidesOn(name) &&
      valuesOf(sets, name.toLowerCase()).some((value) => value != null);
    const described = device === null ? {} : applies ? deviceValues(device) : { udid: device.udid };
    if (node !== null) {
      writeDecided(capabilities, sets, described, isOfClient);
      return NO_PLACE;
    }
    const drivers = hostDriversOf(sets, device);
    const needed = portsOf(drivers).filter((name) => !isOfClient(name));
    // Lock a phone of the adb server against the other servers of this host.
    const isLocked = device !== null && adb !== undefined && device.logs === 'adb';
    const unlock = isLocked ? await lockPhone(device.udid, adb) : undefined;
    try {
      const held = needed.length === 0 ? undefined : await ports?.take(needed);
      const values = { ...described, ...this.#hostValues(drivers, device), ...held?.ports };
      writeDecided(capabilities, sets, values, isOfClient);
      const release = (): void => {
        held?.release();
        unlock?.();
      };
      return { mjpegPort: held?.ports.mjpegServerPort ?? null, release };
    } catch (error) {
      unlock?.();
      throw error;
    }
  }

  /** Gives the place of a session back as soon as its driver has ended, however that happens. */
  follow(session: StartedSession, place: DriverPlace): StartedSession {
    if (place === NO_PLACE) return session;
    const { id } = session;
    if (place.mjpegPort !== null) this.#mjpegPorts.set(id, place.mjpegPort);
    const release = () => {
      this.#mjpegPorts.delete(id);
      place.release();
    };
    session.ended.then(release, release);
    return { ...session, end: () => session.end().finally(release) };
  }

  /**
   * Returns the port of this host at which the driver of a running session shows the screen of its device, or null if
   * the lab gave it no such port (contract 14.2).
   */
  mjpegPortOf(sessionId: string): number | null {
    return this.#mjpegPorts.get(sessionId) ?? null;
  }

  /** Returns the values that tell the driver where it runs on this host. */
  #hostValues(drivers: readonly HostDriver[], device: Device | null): Fields {
    const { adb, buildFolder } = this.#options;
    if (device === null) return {};
    const { udid, wdaUrl = null } = device;
    const isXcui = drivers.includes('XCUITest');
    const isAndroid = drivers.some((driver) => ANDROID.includes(driver));
    return {
      ...(isXcui && wdaUrl !== null ? { webDriverAgentUrl: wdaUrl } : {}),
      ...(isAndroid && adb !== undefined ? adbValues(device, adb) : {}),
      ...(isXcui && buildFolder !== undefined ? { derivedDataPath: buildFolder(udid) } : {}),
    };
  }
}

/**
 * Returns the drivers that may run a session, by the capability `automationName`. Without this capability, Appium can
 * only take it from the default capabilities of its operator, so the usual driver of the device's platform is returned.
 */
function hostDriversOf(sets: readonly Fields[], device: Device | null): readonly HostDriver[] {
  const named = new Set<string>();
  for (const value of valuesOf(sets, 'automationname'))
    if (typeof value === 'string') named.add(value.trim().toLowerCase());
  if (named.size > 0) return DRIVERS.filter((driver) => named.has(driver.toLowerCase()));
  if (device === null) return [];
  if (isApple(device.platform)) return ['XCUITest'];
  return device.platform.toLowerCase() === 'android' ? ['UiAutomator2'] : [];
}

/** Returns the values that describe the reserved device to its driver (contract 14.1). */
function deviceValues({ udid, name, platform, osVersion }: Device): Fields {
  if (!isApple(platform)) return { udid };
  // The XCUITest driver rejects a version that is not a number, so an unknown version is left out.
  const version = /^\d+(?:\.\d+)*$/.test(osVersion) ? { platformVersion: osVersion } : {};
  return { udid, deviceName: name, ...version };
}

/**
 * Returns the address of the adb server that offers the device. Without it, a driver looks for an adb server at port
 * 5037, and starts one there that takes the phones which are plugged into the host.
 */
function adbValues({ logs }: Device, { host, port }: AdbAddress): Fields {
  if (logs !== 'adb') return {};
  return { adbPort: port, ...(USUAL_HOSTS.has(host) ? {} : { remoteAdbHost: host }) };
}

/** Returns the names of the ports of this host that a session of these drivers needs (contract 14.5). */
export function portsOf(drivers: readonly HostDriver[]): string[] {
  const needed: string[] = [];
  for (const { name, isPort, drivers: reading } of HOST_CAPABILITIES)
    if (isPort && drivers.some((driver) => reading.includes(driver))) needed.push(name);
  return needed;
}
