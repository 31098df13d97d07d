import {
  AI_PROVIDERS,
  type AiProvider,
  CLEAN_MODES,
  type CleanMode,
  RECORDING_MODES,
  type RecordingMode,
  USAGE_BY_PERSON,
  type UsageByPerson,
} from '@svc/contract';
import * as rules from '../environment/rules.ts';

/** Settings that the API can change while the server runs, by their names in JSON (contract 2, `/config`). */
export interface SettingValues {
  /** Maximum number of running and starting sessions; below 1 means no limit (specification 8.2). */
  readonly maxSessions: number;
  readonly eventLogRetentionDays: number;
  readonly sessionRetentionDays: number;
  readonly auditRetentionDays: number;
  readonly recording: RecordingMode;
  readonly clean: CleanMode;
  /** Name of the lab that the pages show, or null for the default name. */
  readonly labName: string | null;
  /** Whether the usage of a month is shown by person, too. */
  readonly usageByPerson: UsageByPerson;
  readonly aiProvider: AiProvider | null;
  readonly aiModel: string | null;
  readonly aiBaseUrl: string | null;
}

export type SettingName = keyof SettingValues;

/**
 * Checks a JSON value and returns the setting. Throws `Unusable` if the setting cannot have this value. `startUp` is
 * the value that applies if no value is saved.
 */
type SettingRule<T> = (value: unknown, startUp: T) => T;

const retentionDays: SettingRule<number> = (value) => wholeNumber(value, 1, rules.LONGEST_RETENTION_DAYS);

/**
 * Allows only retention times that are at least as long as the one set at start. Otherwise an attacker with the sign-in
 * of a Super admin could have the audit records of the attack deleted.
 */
const auditRetentionDays: SettingRule<number> = (value, startUp) =>
  wholeNumber(value, startUp, rules.LONGEST_RETENTION_DAYS);

/**
 * Refuses every mode if `SVC_RECORDING` is `disabled`, so that the operator of the server can forbid recordings
 * (contract 11).
 */
const recording: SettingRule<RecordingMode> = (value, startUp) => {
  if (startUp === 'disabled') throw new rules.Unusable('cannot be changed: SVC_RECORDING is disabled');
  return rules.oneOf(RECORDING_MODES)(textOf(value));
};

/** Rule of each setting, in the order in which the API lists the settings. */
export const SETTING_RULES: { readonly [Name in SettingName]: SettingRule<SettingValues[Name]> } = {
  maxSessions: (value) => wholeNumber(value, Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
  eventLogRetentionDays: retentionDays,
  sessionRetentionDays: retentionDays,
  auditRetentionDays,
  recording,
  clean: (value) => rules.oneOf(CLEAN_MODES)(textOf(value)),
  labName: (value) => rules.labName(textOf(value)),
  usageByPerson: (value) => rules.oneOf(USAGE_BY_PERSON)(textOf(value)),
  aiProvider: (value) => rules.oneOf(AI_PROVIDERS)(textOf(value)),
  aiModel: (value) => rules.aiModel(textOf(value)),
  aiBaseUrl: (value) => rules.httpBaseUrl(textOf(value)),
};

export const SETTING_NAMES = Object.keys(SETTING_RULES) as readonly SettingName[];

function wholeNumber(value: unknown, least: number, most: number): number {
  if (!Number.isSafeInteger(value)) throw new rules.Unusable('is not a whole number');
  const number = value as number;
  if (number < least || number > most)
    throw new rules.Unusable(`is not a whole number of ${least} to ${most}`);
  return number;
}

function textOf(value: unknown): string {
  if (typeof value !== 'string') throw new rules.Unusable('is not a text');
  return value;
}
