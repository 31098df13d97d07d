import type { RecordingWish } from '@svc/auth-core';
import type { RecordingMode } from '@svc/contract';
import type { DriverSession } from '@svc/device-lab';

/** What is recorded of a session: what it asks for counts before the setting, unless recordings are disabled. */
export function recordingMode(setting: RecordingMode, { record }: RecordingWish): 'off' | 'failures' | 'all' {
  return setting === 'disabled' ? 'off' : (record ?? setting);
}

/**
 * What a hub tells a node about the recording of a session, which the node records. Without a wish of the client or a
 * setting of the hub, the node's own setting counts.
 */
export function wishForNode(
  setting: RecordingMode,
  wish: RecordingWish,
): Readonly<Record<string, unknown>> | null {
  const mode = recordingMode(setting, wish);
  const isOpen = setting === 'off' && wish.record === null;
  const told = {
    ...(isOpen ? {} : { record: mode }),
    ...(wish.saveDeviceLogs ? {} : { saveDeviceLogs: false }),
  };
  return Object.keys(told).length === 0 ? null : told;
}

/** Whether `failures` keeps the recording of a session. */
export function hasFailed({ status, failureCategory }: DriverSession): boolean {
  return status === 'failed' || failureCategory !== null;
}
