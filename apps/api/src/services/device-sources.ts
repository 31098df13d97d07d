import type { Log } from '@svc/auth-core';
import { AdbSource, type DeviceSource, listedDevices, type SourceDevice } from '@svc/device-lab';
import type { Config } from '@svc/settings';

/**
 * The sources of this server's devices: the list in the settings, those of its host, and adb. A device of two sources
 * belongs to the first of them. A listed device that is plugged into the adb server exists while adb reports it.
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
