import type { SourceDevice } from '../device.ts';
import type { DeviceSource } from './device-source.ts';

/** Devices that are there as long as the server runs. */
export function listedDevices(name: string, devices: readonly SourceDevice[]): DeviceSource {
  return {
    name,
    comesAndGoes: false,
    endsSessions: true,
    start: (report) => report(devices),
    stop: () => undefined,
  };
}

/** Devices of a lab without real ones (contract 9). */
export function virtualDevices(count: number, prefix: string): DeviceSource {
  const devices = Array.from({ length: count }, (_, index) => ({
    udid: `${prefix}-${index + 1}`,
    name: `Virtual phone ${index + 1}`,
    platform: 'Fake',
    osVersion: '1.0',
    node: null,
    mjpegUrl: null,
    h264Url: null,
    logs: 'virtual' as const,
  }));
  return listedDevices('virtual', devices);
}
