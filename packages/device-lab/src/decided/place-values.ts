import type { Device } from '../device.ts';
import type { AdbAddress } from '../sources/adb/adb-connection.ts';
import { valuesOf } from './capability-sets.ts';
import { isApple } from './decided-capabilities.ts';
import type { HostDriver } from './host-capabilities.ts';

type Fields = Readonly<Record<string, unknown>>;

const DRIVERS: readonly HostDriver[] = ['UiAutomator2', 'Espresso', 'XCUITest'];
/** Hosts on which the drivers look for the adb server if no capability says otherwise. */
const USUAL_HOSTS = new Set(['127.0.0.1', 'localhost']);

/**
 * Returns the drivers that may run a session, by the capability `automationName`. Without this capability, Appium can
 * only take it from the default capabilities of its operator, so the usual driver of the device's platform is returned.
 */
export function hostDriversOf(sets: readonly Record<string, unknown>[], device: Device | null): HostDriver[] {
  const named = valuesOf(sets, 'automationname').filter((value) => typeof value === 'string');
  if (named.length > 0) {
    const wanted = new Set(named.map((name) => name.trim().toLowerCase()));
    return DRIVERS.filter((driver) => wanted.has(driver.toLowerCase()));
  }
  if (device === null) return [];
  if (isApple(device.platform)) return ['XCUITest'];
  return device.platform.toLowerCase() === 'android' ? ['UiAutomator2'] : [];
}

/** Returns the values that describe the reserved device to its driver (contract 14.1). */
export function deviceValues(device: Device): Fields {
  const { udid, name, platform, osVersion } = device;
  if (!isApple(platform)) return { udid };
  // The XCUITest driver rejects a version that is not a number, so an unknown version is left out.
  const version = /^\d+(?:\.\d+)*$/.test(osVersion) ? { platformVersion: osVersion } : {};
  return { udid, deviceName: name, ...version };
}

/**
 * Returns the address of the adb server that offers the device. Without it, a driver looks for an adb server at port
 * 5037, and starts one there that takes the phones which are plugged into the host.
 */
export function adbValues({ logs }: Device, adb: AdbAddress | null): Fields {
  if (adb === null || logs !== 'adb') return {};
  return { adbPort: adb.port, ...(USUAL_HOSTS.has(adb.host) ? {} : { remoteAdbHost: adb.host }) };
}
