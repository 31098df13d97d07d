import type { SourceDevice } from '../device.ts';
import type { DeviceSource } from './device-source.ts';

/** @returns a source that reports a fixed list of devices, which never go away */
export function listedDevices(name: string, devices: readonly SourceDevice[]): DeviceSource {
  return {
    name,
    comesAndGoes: false,
    endsSessions: true,
    start: (report) => report(devices),
    stop: () => undefined,
  };
}
