import {
  AI_PROVIDERS,
  CLEAN_MODES,
  RECORDING_MODES,
  type RecordingMode,
  USAGE_BY_PERSON,
  type UsageByPerson,
} from '@svc/contract';
import * as addresses from '../environment/address-rules.ts';
import type { Config } from '../environment/read-config.ts';
import * as rules from '../environment/rules.ts';

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

interface SavedSetting<T> {
  /** Value that applies if none is saved. */
  readonly startUp: (config: Config) => T;
  readonly rule: SettingRule<T>;
}

const setting = <T>(startUp: (config: Config) => T, rule: SettingRule<T>): SavedSetting<T> => ({
  startUp,
  rule,
});

/**
 * Settings that the API can change while the server runs, by their names in JSON (contract 2, `/config`). A saved value
 * has priority over the one of the start (specification 9.2).
 */
export const SAVED_SETTINGS = {
  /** Maximum number of running and starting sessions; below 1 means no limit (specification 8.2). */
  maxSessions: setting(
    ({ maxSessions }) => maxSessions,
    (value) => wholeNumber(value, Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
  ),
  eventLogRetentionDays: setting((config) => config.eventLogRetentionDays, retentionDays),
  sessionRetentionDays: setting((config) => config.sessionRetentionDays, retentionDays),
  auditRetentionDays: setting((config) => config.auditRetentionDays, auditRetentionDays),
  recording: setting((config) => config.recording.mode, recording),
  clean: setting(({ clean }) => clean, text(rules.oneOf(CLEAN_MODES))),
  /** Name of the lab that the pages show, or null for the default name. */
  labName: setting<string | null>(() => null, text(rules.labName)),
  /** Whether the usage of a month is shown by person, too. */
  usageByPerson: setting<UsageByPerson>(() => 'off', text(rules.oneOf(USAGE_BY_PERSON))),
  aiProvider: setting(({ ai }) => ai.provider, text(rules.oneOf(AI_PROVIDERS))),
  aiModel: setting(({ ai }) => ai.model, text(rules.aiModel)),
  aiBaseUrl: setting(({ ai }) => ai.baseUrl, text(addresses.httpBaseUrl)),
};

export type SettingName = keyof typeof SAVED_SETTINGS;
export type SettingValues = {
  readonly [Name in SettingName]: ReturnType<(typeof SAVED_SETTINGS)[Name]['startUp']>;
};

/** Names in the order in which the API lists the settings. */
export const SETTING_NAMES = Object.keys(SAVED_SETTINGS) as readonly SettingName[];

function wholeNumber(value: unknown, least: number, most: number): number {
  if (!Number.isSafeInteger(value)) throw new rules.Unusable('is not a whole number');
  const number = value as number;
  if (number < least || number > most)
    throw new rules.Unusable(`is not a whole number of ${least} to ${most}`);
  return number;
}

function text<T>(rule: rules.Rule<T>): (value: unknown) => T {
  return (value) => rule(textOf(value));
}

function textOf(value: unknown): string {
  if (typeof value !== 'string') throw new rules.Unusable('is not a text');
  return value;
}
