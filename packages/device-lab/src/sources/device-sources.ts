import { join } from 'node:path';
import type { Log, Stores } from '@svc/auth-core';
import type { Config } from '@svc/settings';
import type { SourceDevice } from '../device.ts';
import { adbPhones } from './adb/adb-phones.ts';
import type { DeviceSource } from './device-source.ts';
import type { HostPhones } from './host-phones.ts';
import { choiceOf } from './host-sources.ts';
import { iosPhones } from './ios/ios-phones.ts';
import { listedDevices } from './listed-devices.ts';

interface Tools {
  readonly config: Pick<Config, 'devices' | 'adb' | 'offeredAdb' | 'ios'>;
  /**
   * Whether there is a grid behind this server. If so, a source of plugged-in phones is left out unless the environment
   * sets it on or off, because the grid selects the phones.
   */
  readonly hasGrid: boolean;
  /** Device sources of the program that runs this server, such as the virtual phones of the local lab. */
  readonly ofHost: readonly DeviceSource[];
  readonly stores: Pick<Stores, 'settings'>;
  readonly log: Log;
}

interface DeviceSources {
  /** Sources that are always used: the list in the settings, and the sources of the program that runs this server. */
  readonly always: readonly DeviceSource[];
  /** Sources of the phones that are plugged into this host. The sources in `always` have priority over them. */
  readonly plugged: readonly HostPhones[];
}

/**
 * Returns the sources of this server's devices. If two sources report the same device, the first source counts. A
 * listed device with `adb` set is present only while adb reports it. If the lab does not use adb when the server
 * starts, the device is always present.
 */
export function deviceSources({ config, hasGrid, ofHost, stores, log }: Tools): DeviceSources {
  const listed = config.devices.map(
    ({ adb: isPlugged, tags = [], ...device }): SourceDevice & { isPlugged: boolean } => ({
      ...device,
      sourceTags: tags,
      node: null,
      logs: isPlugged ? 'adb' : null,
      isPlugged,
    }),
  );
  const fixed = config.adb !== null ? true : config.offeredAdb === null ? false : null;
  const usesAdb = choiceOf({ name: 'adb', fixed }, stores) === true;
  const followed = usesAdb ? listed.filter(({ isPlugged }) => isPlugged) : [];
  const present = listed.filter((device) => !followed.includes(device)).map(withoutPlug);
  const details = new Map(followed.map((device) => [device.udid, withoutPlug(device)]));
  return {
    always: [...(present.length === 0 ? [] : [listedDevices('configured', present)]), ...ofHost],
    plugged: [
      adbPhones({ address: adbAddressOf(config), fixed, details, log }),
      iosPhones({ ...config.ios, log }),
    ].filter((host) => host.fixed !== null || !hasGrid),
  };
}

/** @returns the address of the adb server, whether or not the lab uses it */
export function adbAddressOf({ adb, offeredAdb }: Pick<Config, 'adb' | 'offeredAdb'>): {
  host: string;
  port: number;
} {
  return adb ?? offeredAdb ?? { host: '127.0.0.1', port: 5037 };
}

function withoutPlug({ isPlugged: _, ...device }: SourceDevice & { isPlugged: boolean }): SourceDevice {
  return device;
}

/**
 * @returns the folder in which the XCUITest driver builds WebDriverAgent for a phone. Each phone has its own, because
 * two builds in one folder break each other. The udid is encoded, so that it cannot name another folder.
 */
export function buildFolder(dataDir: string, udid: string): string {
  return join(dataDir, 'wda', encodeURIComponent(udid).replaceAll('.', '%2E'));
}
