import type { DeviceRequest } from '../allocate-device.ts';
import { phoneViews } from '../matching/phone-view.ts';

/** @returns a device request with these `alwaysMatch` capabilities, from a caller who may see all devices */
export function sampleRequest(
  always: Readonly<Record<string, unknown>> = {},
  change: Partial<DeviceRequest> = {},
): DeviceRequest {
  return { views: phoneViews({ alwaysMatch: always }), teamId: null, maySee: () => true, ...change };
}
