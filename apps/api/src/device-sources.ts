import type { Log } from '@svc/auth-core';
import {
  AdbSource,
  type DeviceSource,
  listedDevices,
  type SourceDevice,
  virtualDevices,
} from '@svc/device-lab';
import type { Config } from '@svc/settings';

/**
 * Where this server's devices come from, by its settings: those earlier in the list win a device that two have. A
 * listed device that is plugged into the adb server is there when adb says so.
 */
export function deviceSources({ devices, adb, virtualDevices: virtual }: Config, log: Log): DeviceSource[] {
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
    ...(virtual === null || virtual.count === 0 ? [] : [virtualDevices(virtual.count, virtual.prefix)]),
    ...(adb === null ? [] : [new AdbSource({ address: adb, log, details })]),
  ];
}

function withoutPlug({ isPlugged: _, ...device }: SourceDevice & { isPlugged: boolean }): SourceDevice {
  return device;
}
