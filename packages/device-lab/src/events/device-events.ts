import type { Device, DeviceStatus } from '../device.ts';
import type { NewLabEvent } from './lab-events.ts';

/** `device_online` and `device_offline`: it came back or went; `device_changed`: what it is, its team or its tags. */
type DeviceEventType = 'device_new' | 'device_online' | 'device_offline' | 'device_changed';

/** What became of a device, for those who may see it (contract 3.5). */
export function deviceEvent(
  type: DeviceEventType,
  { udid, name, platform, osVersion, node, teamId }: Device,
  now: { readonly status: DeviceStatus; readonly tags: readonly string[] },
): NewLabEvent {
  return {
    type,
    payload: { udid, name, platform, osVersion, node, teamId, ...now },
    audience: { kind: 'device', teamId },
  };
}
