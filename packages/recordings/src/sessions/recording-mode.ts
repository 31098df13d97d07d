import type { RecordingMode } from '@svc/contract';
import type { DriverSession, RecordingOptions } from '@svc/device-lab';

/**
 * Returns whether to keep the recording of a session: never (`off`), only if the session fails (`failures`), or always
 * (`all`). The client's request has priority over the setting. But if the setting is `disabled`, nothing is recorded.
 */
export function recordingMode(
  setting: RecordingMode,
  { record }: RecordingOptions,
): 'off' | 'failures' | 'all' {
  return setting === 'disabled' ? 'off' : (record ?? setting);
}

/**
 * Returns the recording options that a hub sends to the node that records a session, or null if it need not send any.
 * If neither the client nor the hub's setting asks for a recording, `record` is left out, so that the node's own
 * setting applies.
 */
export function optionsForNode(
  setting: RecordingMode,
  options: RecordingOptions,
): Readonly<Record<string, unknown>> | null {
  const mode = recordingMode(setting, options);
  const isOpen = setting === 'off' && options.record === null;
  const told = {
    ...(isOpen ? {} : { record: mode }),
    ...(options.saveDeviceLogs ? {} : { saveDeviceLogs: false }),
  };
  return Object.keys(told).length === 0 ? null : told;
}

/** Returns whether the session has failed, so that its recording is kept in the mode `failures`. */
export function hasFailed({ status, failureCategory }: DriverSession): boolean {
  return status === 'failed' || failureCategory !== null;
}
