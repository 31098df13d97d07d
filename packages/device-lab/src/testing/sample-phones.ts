import type { DeviceSource } from '../sources/device-source.ts';
import { listedDevices } from '../sources/listed-devices.ts';

/** @returns a source of `count` phones that offer no streams. Their udids are `<prefix>-1`, `<prefix>-2` and so on. */
export function samplePhones(count: number, prefix: string): DeviceSource {
  const phones = Array.from({ length: count }, (_, index) => ({
    udid: `${prefix}-${index + 1}`,
    name: `Virtual phone ${index + 1}`,
    platform: 'Fake',
    osVersion: '1.0',
    node: null,
    mjpegUrl: null,
    h264Url: null,
    logs: null,
  }));
  return listedDevices(prefix, phones);
}
