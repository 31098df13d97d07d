import { MAX_QUEUE_SECONDS, RECORD_OPTIONS, type RecordOption, SAVE_DEVICE_LOGS } from '@svc/contract';

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

/**
 * Id and token of a lease in a create-session request. They have not been verified yet (specification 2, contract 2).
 */
export interface LeaseCredential {
  readonly id: string;
  readonly token: string;
}

/** Options in the capabilities of a test session that the lab itself uses, such as the team or a lease. */
export interface SessionOptions {
  /** Id or exact name of the team whose devices the session wants, or null if it names no team (contract 6.4). */
  readonly team: string | null;
  /**
   * Value of the capability field `healingTiers`, a list of numbers from 1 to 5 that is stored with the session. Null
   * if the field is absent, and `'unusable'` if its value is not such a list (specification 9.2, since version 2.15).
   */
  readonly healingTiers: readonly number[] | 'unusable' | null;
  /** Lease that the session wants to use, or null unless both its id and its token are present. */
  readonly lease: LeaseCredential | null;
  readonly recording: RecordingOptions;
  /** Seconds for which the request waits for a phone, or null if it does not state them (contract 13). */
  readonly queueSeconds: number | null;
  /** Whether the phone shall be left as it is after the session (contract 17.3). */
  readonly keep: boolean;
  /** Says which of the last three options has a value that cannot be used, or null if none has. */
  readonly unusable: string | null;
}

/** The part of one view of the capabilities that the lab itself reads. */
export interface LabView {
  /** Contents of `svc:options` and `lab:options`, where they exist, in this order. */
  readonly namespaces: readonly Readonly<Record<string, unknown>>[];
  /** Value of the capability `svc:save_device_logs`. */
  readonly saveDeviceLogs: unknown;
}

export function sessionOptionsOf({ namespaces, saveDeviceLogs = null }: LabView): SessionOptions {
  const id = textIn(namespaces, 'leaseId');
  const token = textIn(namespaces, 'leaseToken');
  const tiers = valueIn(namespaces, 'healingTiers');
  const record = valueIn(namespaces, 'record');
  const logs = valueIn(namespaces, 'saveDeviceLogs') ?? true;
  const logsAlone = saveDeviceLogs ?? true;
  const seconds = valueIn(namespaces, 'queueSeconds');
  const keep = valueIn(namespaces, 'keep') ?? false;
  let unusable: string | null = null;
  if (record !== null && !(RECORD_OPTIONS as readonly unknown[]).includes(record))
    unusable = `svc:options.record must be one of ${RECORD_OPTIONS.join(', ')}`;
  else if (typeof logs !== 'boolean') unusable = 'svc:options.saveDeviceLogs must be true or false';
  else if (typeof logsAlone !== 'boolean') unusable = `${SAVE_DEVICE_LOGS} must be true or false`;
  else if (seconds !== null && !isWhole(seconds, 0, MAX_QUEUE_SECONDS))
    unusable = `svc:options.queueSeconds must be a whole number from 0 to ${MAX_QUEUE_SECONDS}`;
  else if (typeof keep !== 'boolean') unusable = 'svc:options.keep: must be true or false';
  return {
    team: textIn(namespaces, 'team'),
    healingTiers: tiers === null ? null : tiersOf(tiers),
    lease: id !== null && token !== null ? { id, token } : null,
    recording: { record: record as RecordOption | null, saveDeviceLogs: logs === true && logsAlone === true },
    queueSeconds: seconds as number | null,
    keep: keep === true,
    unusable,
  };
}

/** @returns the value of the field in the first namespace that sets it, or null. A value of null counts as not set. */
function valueIn(namespaces: LabView['namespaces'], name: string): unknown {
  for (const fields of namespaces) if (fields[name] != null) return fields[name];
  return null;
}

/**
 * @returns the value of the field in the first namespace that has text for it, or null. `null` and values that are not
 * text count as not set (contract 6.1).
 */
export function textIn(namespaces: LabView['namespaces'], name: string): string | null {
  for (const fields of namespaces) {
    const value = fields[name];
    if (Object.hasOwn(fields, name) && typeof value === 'string') return value;
  }
  return null;
}

function tiersOf(given: unknown): SessionOptions['healingTiers'] {
  const isUsable = Array.isArray(given) && given.every((tier) => isWhole(tier, 1, 5));
  return isUsable ? [...new Set(given as number[])] : 'unusable';
}

function isWhole(value: unknown, least: number, most: number): boolean {
  return Number.isInteger(value) && (value as number) >= least && (value as number) <= most;
}
