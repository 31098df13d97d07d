import type { Log } from '@svc/auth-core';
import { AdbSource, type DeviceSource, listedDevices, type SourceDevice } from '@svc/device-lab';
import type { Config } from '@svc/settings';

/**
 * Returns the sources of this server's devices: the list in the settings, the sources of its host program, and adb. A
 * device that two sources report belongs to the first of these sources. A listed device that is plugged into the adb
 * server is present only while adb reports it.
 */
export function deviceSources(
  { devices, adb }: Pick<Config, 'devices' | 'adb'>,
  ofHost: readonly DeviceSource[],
  log: Log,
): DeviceSource[] {
  const listed = devices.map(({ adb: isPlugged, ...device }): SourceDevice & { isPlugged: boolean } => ({
    ...device,
    node: null,
    logs: isPlugged ? 'adb' : null,
    isPlugged,
  }));
  const followed = adb === null ? [] : listed.filter(({ isPlugged }) => isPlugged);
  const always = listed.filter((device) => !followed.includes(device)).map(withoutPlug);
  const details = new Map(followed.map((device) => [device.udid, withoutPlug(device)]));
  return [
    ...(always.length === 0 ? [] : [listedDevices('configured', always)]),
    ...ofHost,
    ...(adb === null ? [] : [new AdbSource({ address: adb, log, details })]),
  ];
}

function withoutPlug({ isPlugged: _, ...device }: SourceDevice & { isPlugged: boolean }): SourceDevice {
  return device;
}
