import { RECORD_OPTIONS, type RecordOption, SAVE_DEVICE_LOGS } from '@svc/contract';

/** Recording options that a session requests in its capabilities (contract 11). */
export interface RecordingOptions {
  /**
   * Value of the option `record`: `off`, `failures` or `all`. Null if the session does not set it, so that the setting
   * of the server applies.
   */
  readonly record: RecordOption | null;
  /** Whether the device log is recorded as well. */
  readonly saveDeviceLogs: boolean;
}

export const NO_RECORDING_OPTIONS: RecordingOptions = { record: null, saveDeviceLogs: true };

type Fields = Readonly<Record<string, unknown>>;

/**
 * Reads the recording options of a session. A value of `null` counts as not set (contract 6.1).
 * @param namespaces contents of `svc:options` and `lab:options`, where they exist, in this order
 * @param own value of the capability `svc:save_device_logs`
 */
export function recordingOptionsOf(
  namespaces: readonly Fields[],
  own: unknown,
): RecordingOptions | { readonly unusable: string } {
  const record = fieldOf(namespaces, 'record') ?? null;
  if (record !== null && !isRecordOption(record))
    return { unusable: `svc:options.record must be one of ${RECORD_OPTIONS.join(', ')}` };
  const inOptions = fieldOf(namespaces, 'saveDeviceLogs') ?? true;
  if (typeof inOptions !== 'boolean') return { unusable: 'svc:options.saveDeviceLogs must be true or false' };
  const alone = own ?? true;
  if (typeof alone !== 'boolean') return { unusable: `${SAVE_DEVICE_LOGS} must be true or false` };
  return { record, saveDeviceLogs: inOptions && alone };
}

function isRecordOption(value: unknown): value is RecordOption {
  return (RECORD_OPTIONS as readonly unknown[]).includes(value);
}

/** @returns the value of the field in the first namespace that sets it, or undefined if no namespace does */
function fieldOf(namespaces: readonly Fields[], name: string): unknown {
  return namespaces.find((fields) => (fields[name] ?? null) !== null)?.[name];
}
