import type { DeviceLab } from '@svc/device-lab';

const EVERY_MS = 24 * 60 * 60 * 1000;

/** Once a day, records which devices are present and removes those that were away for long. */
export function scheduleDeviceTidying(devices: Pick<DeviceLab['devices'], 'tidy'>): { stop(): void } {
  const timer = setInterval(() => devices.tidy(), EVERY_MS).unref();
  return { stop: () => clearInterval(timer) };
}
