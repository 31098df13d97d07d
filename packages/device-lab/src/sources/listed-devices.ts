import type { SourceDevice } from '../device.ts';
import type { DeviceSource } from './device-source.ts';

/** @returns a source whose devices are present as long as the server runs */
export function listedDevices(name: string, devices: readonly SourceDevice[]): DeviceSource {
  return {
    name,
    comesAndGoes: false,
    endsSessions: true,
    start: (report) => report(devices),
    stop: () => undefined,
  };
}
