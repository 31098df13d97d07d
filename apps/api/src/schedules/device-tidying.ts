import type { DeviceLab } from '@svc/device-lab';

const EVERY_MS = 24 * 60 * 60 * 1000;

/** Records once a day which devices are present, and removes devices that have been away for a long time. */
export function scheduleDeviceTidying(devices: Pick<DeviceLab['devices'], 'tidy'>): { stop(): void } {
  const timer = setInterval(() => devices.tidy(), EVERY_MS).unref();
  return { stop: () => clearInterval(timer) };
}
